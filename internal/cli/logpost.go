package cli

// aibd loglik and aibd logpost.

import (
	"io"

	"github.com/spf13/cobra"

	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/prospect"
	"aibd/internal/spec"
	"aibd/lglfm"
	"aibd/prior"
)

func newLogLik() *cobra.Command {
	return newDensity(false, &cobra.Command{
		Use:   "loglik [FILE] --z FILE",
		Short: "Log likelihood of given allocations",
		Long: `Computes the log likelihood log p(X | Z, SigmaX, SigmaA) of allocations Z, with the
loadings integrated out and all constants kept. X is centered and scaled as by aibd fit. With
--center=false and --scale=false it is as in the FILE. Without a FILE the data are the
built-in 50 states of the USA.

` + allocationHelp + weightsHelp,
		Example: `  # The likelihood of the truth, at the noise that was simulated
  aibd data write bars
  aibd loglik bars.csv --z bars_z.txt --sigma-x 0.5 --center=false`,
	})
}

func newLogPost() *cobra.Command {
	return newDensity(true, &cobra.Command{
		Use:   "logpost [FILE] --z FILE",
		Short: "Log posterior density of given allocations",
		Long: `Computes the log posterior density of allocations Z up to a constant, at fixed mass,
temperature, SigmaX and SigmaA: the sum of the log pmf (see aibd prior pmf), the log
likelihood (see aibd loglik) and, with weights, their log density.

` + allocationHelp + weightsHelp,
		Example: `  # Under the IBP
  aibd data write bars
  aibd logpost bars.csv --z bars_z.txt --sigma-x 0.5 --center=false --prior ibp --mass 2

  # The states, at an estimate of Z
  aibd fit --warmup 200 --draws 300 --out states
  aibd estimate states --out Z.txt
  aibd logpost --z Z.txt --sigma-x 0.4 --temperature 1 --mass 3 --average --draws 200`,
	})
}

// newDensity completes a command. law reports whether it has a law.
func newDensity(law bool, c *cobra.Command) *cobra.Command {
	keys := []string{"data.", "prior.sigma_x.value", "prior.sigma_a.value"}
	if law {
		keys = append(keys, ofLaw...)
	}
	var o *priorOptions
	var zs *[]string
	c.Args = wants(0, 1, "at most one FILE")
	c.RunE = func(c *cobra.Command, args []string) error {
		all, err := readAll(*zs, c.InOrStdin(), true)
		if err != nil {
			return err
		}
		s, err := o.spec(c, args)
		if err != nil {
			return err
		}
		if !law {
			s.Prior.Law, s.Prior.Permutation = "ibp", spec.Default().Prior.Permutation
		}
		if s.Data.HasNoiseScales() {
			return spec.Errorf("data.noise", "found columns, expected common: the log likelihood is for columns that share SigmaX and SigmaA")
		}
		s.Data.Noise = spec.NoiseCommon
		p, err := input.Build(s)
		if err != nil {
			return err
		}
		d, err := prospect.NewDensities(all, len(p.IDs))
		if err != nil {
			return err
		}
		if law {
			tellNotes(c, p.Notes)
			if err := d.AddPMF(&model.PriorProblem{Law: p.Posterior.Law, Spec: p.Spec, IDs: p.IDs, Unit: p.Unit, FurtherDistances: p.FurtherDistances}, o.draws, o.seed); err != nil {
				return err
			}
		}
		if err := d.AddLogLik(p.Posterior.Data, lglfm.Scales{SigmaX: *s.Prior.SigmaX.Value, SigmaA: *s.Prior.SigmaA.Value}); err != nil {
			return err
		}
		return o.show(c, d, func(w io.Writer) { writeDensities(w, d) }, nil)
	}
	zs = addAllocations(c)
	if o = addFixedFlags(c, keys, ""); law {
		o.addAverage(c, prior.MaxExactItems)
		c.Flags().Uint64Var(&o.seed, "seed", 1, "Seed of Monte Carlo.")
	}
	return c
}
