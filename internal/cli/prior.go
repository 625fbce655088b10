package cli

// aibd prior: a law over allocations, without observations.

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/visible"
	"aibd/mcmc"
)

func newPrior() *cobra.Command {
	return group("prior", "Draws, probabilities and expectations of a prior", `Describes a prior of feature allocations, without data X: the attraction Indian
buffet distribution (AIBD), the distance dependent Indian buffet process (dd-IBP) or
the Indian buffet process (IBP). A FILE, distances or built-in data give the items.
The flags for distances and law are flags of fit; mass and temperature are fixed. predict draws all
unknowns and X from the priors of fit, and compares X with these draws.`,
		`  # Three draws for 5 items
  aibd prior sample --prior ibp --items 5 --n 3

  # How many features 50 items have
  aibd prior features --prior ibp --items 50 --mass 2

  # Which states share features, at two temperatures
  aibd prior sharing --temperatures 0,2

  # Whether the priors of fit can produce the 50 states
  aibd prior predict`,
		newPriorSample(), newPriorPMF(), newPriorSharing(), newPriorFeatures(), newPriorPredict())
}

// maxItems bounds --items: a larger number can only be a mistake.
const maxItems = 1_000_000

// priorOptions are the flags that all verbs of prior have.
type priorOptions struct {
	flags   *specFlags
	items   int
	json    bool
	seed    uint64
	plot    string // of verbs with a figure
	average bool   // of verbs that can: over all permutations
	draws   int    // of Monte Carlo
}

// ofLaw are the beginnings of the keys of a law.
var ofLaw = []string{"distance.", "prior.law", "prior.proximity", "prior.decay", "prior.window_width", "prior.permutation", "prior.mass.value", "prior.temperature.value"}

// addPriorFlags registers the flags of the law, except that drop names.
func addPriorFlags(c *cobra.Command, drop string) *priorOptions {
	o := addFixedFlags(c, append([]string{"data.builtin", "data.file", "data.side", "data.id", "data.header"}, ofLaw...), drop)
	c.Flags().IntVar(&o.items, "items", 0, "Number of items, for law ibp without data.")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "Seed of the random numbers.")
	return o
}

// addFixedFlags registers the flags of the settings whose keys begin with one of the prefixes, except that
// drop names. Mass, temperature, SigmaX and SigmaA are fixed, by default at 1, and have flags.
func addFixedFlags(c *cobra.Command, prefixes []string, drop string) *priorOptions {
	o := &priorOptions{}
	var settings []spec.Setting
	var fixed []spec.Key
	for _, s := range spec.Settings() {
		if s.Flag == drop || !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(string(s.Key), prefix) }) {
			continue
		}
		if strings.HasSuffix(string(s.Key), ".value") {
			_, s.Help = s.Table()
			s.Default, fixed = "1", append(fixed, s.Key)
		}
		if s.Key == permutationKey {
			s.Default = "fixed"
		}
		settings = append(settings, s)
	}
	o.flags = addSpecFlags(c, settings, fixed...)
	c.Flags().BoolVar(&o.json, "json", false, "Print JSON.")
	return o
}

// law returns the law that the flags describe. Its items come from the FILE in args. Without data the law
// ibp has z items, unless z is 0.
func (o *priorOptions) law(c *cobra.Command, args []string, z int) (*model.PriorProblem, error) {
	if err := checkPlot(o.plot); err != nil {
		return nil, err
	}
	s, err := o.spec(c, args)
	if err != nil {
		return nil, err
	}
	data := s.Data.File != "" || s.Data.Builtin != ""
	items := o.items
	if items > maxItems {
		return nil, fmt.Errorf("--items: found %d, expected at most %d", items, maxItems)
	}
	if c.Flags().Changed("items") {
		switch {
		case s.Prior.Law != "ibp":
			return nil, usageError{fmt.Errorf("--items is for --prior ibp, the law %s takes its items from data or distances", s.Prior.Law)}
		case data:
			return nil, usageError{fmt.Errorf("found --items beside data, expected one of them")}
		case items < 1:
			return nil, fmt.Errorf("--items: found %d, expected at least 1", items)
		}
	} else if s.Prior.Law == "ibp" && !data {
		items = z
	}
	if !data && items == 0 && s.Distance.File == "" && s.Prior.ProximityFile() == "" {
		s.Data.Builtin = "usstates"
	}
	in, err := input.New().ReadPrior(s)
	if err != nil {
		return nil, err
	}
	p, err := model.BuildPrior(in, items)
	if err == nil {
		tellNotes(c, p.Notes)
	}
	return p, err
}

// tellNotes writes lines about input that is not used, or not as one might think.
func tellNotes(c *cobra.Command, notes []string) {
	for _, note := range notes {
		fmt.Fprintln(c.ErrOrStderr(), "Note:", visible.Text(note))
	}
}

// spec returns the spec of the flags with the FILE in args, in which all unknowns except Z and maybe the
// permutation are fixed.
func (o *priorOptions) spec(c *cobra.Command, args []string) (spec.Spec, error) {
	s := spec.Default()
	s.Likelihood.Features = string(mcmc.Binary) // Z alone
	for _, p := range []*spec.Parameter{&s.Prior.Mass, &s.Prior.Temperature} {
		p.Value, p.Fixed = new(1.0), true
	}
	for _, p := range []*spec.Scale{&s.Prior.SigmaX, &s.Prior.SigmaA} {
		p.Value, p.Fixed, p.Max = new(1.0), true, math.MaxFloat64 // not computed from X, which may be constant
	}
	if len(args) == 1 {
		o.flags.setFile(args[0])
	}
	if err := o.flags.apply(&s); err != nil {
		return s, err
	}
	if s.Prior.Law == "" {
		s.Prior.Law = "aibd"
	}
	if !s.HasTemperature() && !o.flags.given("prior.temperature.") {
		s.Prior.Temperature = spec.Default().Prior.Temperature
	}
	switch ordered := o.flags.given("prior.permutation."); {
	case o.average && ordered:
		return s, usageError{errors.New("found --average beside a permutation, expected one of them")}
	case !o.average && !ordered && s.Prior.HasPermutation():
		s.Prior.Permutation.Kind = "fixed"
	}
	if c.Flags().Changed("draws") && o.draws < 2 {
		return s, fmt.Errorf("--draws: found %d, expected at least 2", o.draws)
	}
	return s, nil
}

// addPlot registers the flag of a figure.
func (o *priorOptions) addPlot(c *cobra.Command, what string) {
	outputFlag(c, &o.plot, "plot", what+" into a `file` that ends in .svg or .png.")
}

// show prints a result, after its figure is saved if the flags ask for one.
func (o *priorOptions) show(c *cobra.Command, result any, text func(io.Writer), save func(path string) error) error {
	if o.plot != "" {
		if err := save(o.plot); err != nil {
			return err
		}
	}
	return show(c, o.json, result, text)
}

// addAverage registers the flags of verbs that can average over permutations, exactly
// up to the given number of items.
func (o *priorOptions) addAverage(c *cobra.Command, exact int) {
	c.Flags().BoolVar(&o.average, "average", false, fmt.Sprintf("Average over all permutations, as --permutation random does: exactly up to %d items, by Monte Carlo with standard errors beyond.", exact))
	c.Flags().IntVar(&o.draws, "draws", 1000, "Number of Monte Carlo draws.")
}
