package cli

// Checks of X against replicates, for the verbs that make them.

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/dataset"
	"aibd/internal/describe"
	"aibd/internal/picture"
	"aibd/internal/quantity"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/predict"
)

// addQuantities adds the flag --quantity.
func addQuantities(c *cobra.Command, texts *[]string) {
	c.Flags().StringArrayVar(texts, "quantity", nil, "A test quantity of your own: an `expression`, or a name, = and an expression. May be repeated.")
}

// quantityHelp explains the expressions of --quantity.
const quantityHelp = `--quantity adds a quantity of your own, an expression over the columns of X in the units of the
file, with categories as numbers from 0. A column is called by its name, or column("Life Exp").
Functions of columns: mean, sd, var, min, max, median, sum, count, skewness, kurtosis (0 for a
normal law), quantile(c, 0.9), cor(a, b), and near(c): the correlation of each item's value with
the mean of its nearest items under the distances of the spec, of several at the same distance.
Cell by cell: + - * / ^, abs, sqrt, log, exp, and comparisons with and, or, not, which give 1 and
0: mean(a > 2) is a share. Missing cells do not count. A quantity with an undefined part, such as
the logarithm of a negative cell, is undefined. Your quantities are always printed.`

// parseQuantities parses the values of --quantity.
func parseQuantities(texts []string, t quantity.Table) (all []predict.Quantity, err error) {
	for _, text := range texts {
		q, err := quantity.Parse(text, t)
		if err != nil {
			return nil, usageError{fmt.Errorf("--quantity %w", err)}
		}
		all = append(all, q)
	}
	return all, nil
}

// checks holds the checks of X against replicates.
type checks struct {
	Replicates int           `json:"replicates"`
	Kinds      []checkedKind `json:"kinds"`
	Prior      bool          `json:"-"` // replicates are of the prior
}

type checkedKind struct {
	Name    string       `json:"name"`
	Extreme int          `json:"extreme"` // p below 0.01 or above 0.99
	Checks  []namedCheck `json:"checks"`
}

type namedCheck struct {
	Of       string `json:"of"` // column or its logarithm, pair of those, item or quantity
	Observed number `json:"observed"`
	Q5       number `json:"q5"` // of the replicates
	Q95      number `json:"q95"`
	P        number `json:"p"`
	// NotFinite is the number of replicates whose quantity is not finite. They do not count.
	NotFinite int `json:"not_finite,omitzero"`

	seen predict.Check // as the model sees X, for pictures of several columns
}

// distance returns how far p is from 0.5.
func (c namedCheck) distance() float64 { return math.Abs(float64(c.P) - 0.5) }

// extreme reports whether the check is a misfit.
func (c namedCheck) extreme() bool { return c.distance() > 0.5-verdict.ExtremeP }

// newChecks names the checks of a number of replicates of X, and gives them in the units of the file.
func newChecks(checker *predict.Checker, replicates int, columns, items []string, units dataset.Units, quantities []predict.Quantity) checks {
	k := checks{Replicates: replicates}
	for _, of := range checker.Checks() {
		kind := checkedKind{Name: of.Name, Checks: []namedCheck{}}
		names := columns
		switch of.Name {
		case predict.ItemResiduals:
			names = items
		case predict.YourQuantities:
			names = nil
			for _, q := range quantities {
				names = append(names, q.Name)
			}
		}
		for _, c := range of.Checks {
			var name []string
			for _, i := range c.Of {
				if inLogs(of.Name) && units.Log(i) {
					name = append(name, describe.LogName(units, i, names[i]))
				} else {
					name = append(name, names[i])
				}
			}
			in := unitOfCheck(of.Name, c.Of[0], units)
			named := namedCheck{strings.Join(name, " - "), number(in(c.Observed)), number(in(c.Q5)), number(in(c.Q95)), number(c.P), c.Undefined, c}
			if named.extreme() {
				kind.Extreme++
			}
			kind.Checks = append(kind.Checks, named)
		}
		k.Kinds = append(k.Kinds, kind)
	}
	return k
}

// inLogs reports whether checks of a kind are of logarithms where columns hold logarithms. The logarithm
// of a minimum or a maximum is the minimum or maximum of the logarithms.
func inLogs(kind string) bool {
	return kind == predict.Means || kind == predict.SDs || kind == predict.Correlations
}

// unitOfCheck returns what turns a quantity of the given kind and column into the unit of the file, or of
// its logarithm.
func unitOfCheck(kind string, column int, units dataset.Units) func(x float64) float64 {
	switch kind {
	case predict.Minima, predict.Maxima:
		return func(x float64) float64 { return units.Undo(column, x) }
	case predict.Means:
		return func(x float64) float64 { return units.Linear(column, x) }
	case predict.SDs:
		return func(x float64) float64 { return x * units.Scale(column) }
	}
	return func(x float64) float64 { return x }
}

// panels returns the panels of a picture: one for each kind, and for each quantity of the user, whose
// scales differ.
func (k *checks) panels() (panels []picture.CheckPanel) {
	for _, kind := range k.Kinds {
		panel := picture.CheckPanel{Name: kind.Name}
		for _, c := range kind.Checks {
			if !math.IsNaN(float64(c.P)) {
				panel.Checks = append(panel.Checks, picture.Check{
					Observed: c.seen.Observed, Q5: c.seen.Q5, Q95: c.seen.Q95, Distance: c.distance(), Extreme: c.extreme()})
			}
			if kind.Name == predict.YourQuantities {
				panel.Name = c.Of
				panels = append(panels, panel)
				panel.Checks = nil
			}
		}
		if kind.Name != predict.YourQuantities {
			panels = append(panels, panel)
		}
	}
	return panels
}

// worst returns up to n checks with the most extreme p, if it is extreme.
func (k checkedKind) worst(n int) (worst []namedCheck) {
	for _, c := range k.Checks {
		if c.extreme() {
			worst = append(worst, c)
		}
	}
	slices.SortStableFunc(worst, func(a, b namedCheck) int { return cmp.Compare(b.distance(), a.distance()) })
	return worst[:min(n, len(worst))]
}

// write writes a sentence, a table of the user's quantities, and one of the misfits.
func (k *checks) write(w io.Writer) {
	fmt.Fprint(w, wrap(visible.Text(k.sentence()), "", lineWidth(w)))
	fmt.Fprintln(w, k.legend())
	k.writeQuantities(w)
	t, more := k.misfits()
	if len(t) == 1 {
		return
	}
	fmt.Fprintln(w)
	t.write(w)
	if more > 0 {
		fmt.Fprintf(w, "... and %d more: use --json.\n", more)
	}
}

// writeQuantities writes the user's quantities, if there are any, and which are not finite.
func (k *checks) writeQuantities(w io.Writer) {
	t, notes := table{checkHeader(predict.YourQuantities)}, []string{}
	for _, kind := range k.Kinds {
		if kind.Name != predict.YourQuantities {
			continue
		}
		for _, c := range kind.Checks {
			t.add(c.row(c.Of)...)
			if x := float64(c.Observed); math.IsNaN(x) || math.IsInf(x, 0) {
				notes = append(notes, fmt.Sprintf("%s is not finite in X: it has no p.", c.Of))
			}
			if c.NotFinite > 0 {
				notes = append(notes, fmt.Sprintf("%s is not finite in %d of %d replicates, which do not count.", c.Of, c.NotFinite, k.Replicates))
			}
		}
	}
	if len(t) == 1 {
		return
	}
	fmt.Fprintln(w)
	t.write(w)
	for _, note := range notes {
		fmt.Fprint(w, wrap(visible.Text(note), "", lineWidth(w)))
	}
}

// checkHeader returns the header of a table of checks.
func checkHeader(of string) []string { return []string{of, "X", "replicates 5%", "95%", "p"} }

// row returns the row of a check in a table. Numbers have three digits, and more if they would look
// alike.
func (c namedCheck) row(name string) []string {
	x, low, high := float64(c.Observed), float64(c.Q5), float64(c.Q95)
	digits, size := 3, max(math.Abs(x), math.Abs(low), math.Abs(high))
	if spread := max(math.Abs(x-low), math.Abs(x-high), high-low); spread > 1e-12*size && !math.IsInf(spread, 0) {
		digits = max(digits, 2+int(math.Ceil(math.Log10(size/spread))))
	}
	return []string{name, significant(x, digits), significant(low, digits), significant(high, digits), fixed(float64(c.P), 3)}
}

// legend explains p.
func (k *checks) legend() string {
	if k.Prior {
		return fmt.Sprintf("p is the share of %s of the prior that exceed X. By chance %s of 100 p are below %v or above %v.", plural(k.Replicates, "replicate"), significant(100*k.chance(), 2), verdict.ExtremeP, 1-verdict.ExtremeP)
	}
	return fmt.Sprintf("p is the share of %s in which the replicate exceeds X; misfits have p below %v or above %v.", plural(k.Replicates, "draw"), verdict.ExtremeP, 1-verdict.ExtremeP)
}

// chance returns the probability that p is extreme if X comes from the prior: of X and the replicates
// each is as likely as the others to have the largest quantity, the second largest and so on.
func (k *checks) chance() float64 {
	return 2 * math.Ceil(verdict.ExtremeP*float64(k.Replicates)) / float64(k.Replicates+1)
}

// sentence says which kinds of quantities the model does not reproduce, or the prior contradicts: if
// it came from the prior, X would have some extreme p by chance, of which twice as many are a
// contradiction.
func (k *checks) sentence() string {
	var misfits, fits []string
	for _, kind := range k.Kinds {
		most, chance := 0.0, ""
		if k.Prior {
			expected := k.chance() * float64(len(kind.Checks))
			most, chance = 2*expected, fmt.Sprintf(", %s by chance", significant(expected, 2))
		}
		switch {
		case float64(kind.Extreme) > most:
			misfits = append(misfits, fmt.Sprintf("%s (%d of %d%s)", kind.Name, kind.Extreme, len(kind.Checks), chance))
		case len(kind.Checks) > 0:
			fits = append(fits, kind.Name)
		}
	}
	line, misfit, fit := "The replicates show no misfit.", "The model does not reproduce: ", " No misfit: "
	if k.Prior {
		line, misfit, fit = "The prior can produce data like X: no kind of quantity contradicts it.", "The prior contradicts X in: ", " No contradiction: "
	}
	if len(misfits) > 0 {
		line = misfit + and(misfits) + "."
		if len(fits) > 0 {
			line += fit + and(fits) + "."
		}
	}
	return line
}

// misfits returns the worst misfits of each kind, and the number of the others.
func (k *checks) misfits() (t table, more int) {
	const shown = 5
	t = table{checkHeader("misfit")}
	for _, kind := range k.Kinds {
		if kind.Name == predict.YourQuantities {
			continue // they have a table of their own
		}
		for _, c := range kind.worst(shown) {
			t.add(c.row(kind.Name + ": " + c.Of)...)
		}
		more += max(0, kind.Extreme-shown)
	}
	return t, more
}
