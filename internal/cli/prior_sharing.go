package cli

// aibd prior sharing.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/plot/plotter"

	"aibd/internal/describe"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/picture"
	"aibd/internal/prospect"
	"aibd/internal/visible"
	"aibd/internal/words"
	"aibd/prior"
)

func newPriorSharing() *cobra.Command {
	var (
		o            *priorOptions
		temperatures string
		top          int
	)
	c := &cobra.Command{
		Use:   "sharing [FILE]",
		Short: "Expected number of features that items share",
		Long: fmt.Sprintf(`Computes the expected number of features that each pair of items shares, exactly
for one order of arrival, at one or several temperatures. It prints the mean over all
pairs, and the pairs that share most at the last temperature. Of a dd-IBP in which any
item may link to any other it is exact up to %d items and estimated from draws of the
prior beyond, with standard errors.
--plot draws a curve for each pair over the given temperatures, and only the mean is printed.`, prior.MaxEnumeratedItems),
		Example: `  # The states of the USA, at three temperatures
  aibd prior sharing --temperatures 0,1,5

  # Curves against temperature
  aibd prior sharing --temperatures 0:5:0.1 --plot sharing.svg

  # Five places on a line, averaged over the order of arrival
  printf '0,1,2,3,9\n1,0,1,2,8\n2,1,0,1,7\n3,2,1,0,6\n9,8,7,6,0\n' > d.csv
  aibd prior sharing --distance matrix:d.csv --average

  # The same places under the dd-IBP, in which any may link to any other
  aibd prior sharing --prior ddibp --set prior.proximity=symmetric --distance matrix:d.csv`,
		Args: wants(0, 1, "at most one FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			points, err := parseTemperatures(temperatures)
			if err := cmp.Or(err, atLeast(0, "top", top)); err != nil {
				return err
			}
			p, err := o.law(c, args, 0)
			if err != nil {
				return err
			}
			if n := p.Law.N(); n > maxShared {
				return fmt.Errorf("found %d items, expected at most %d: the sharing of all pairs takes too much time and memory", n, maxShared)
			}
			stop := doing(c, "Computing")
			s, err := prospect.NewSharing(p, points, o.draws, o.seed)
			stop()
			if err != nil {
				return err
			}
			return o.show(c, s, func(w io.Writer) { writeExpected(w, s, o.plot, top) }, func(path string) error { return saveExpected(path, s, p) })
		},
	}
	c.Flags().StringVar(&temperatures, "temperatures", "0,0.5,1,2,5", "Temperatures, a `list`, or from:to:step, of all distances without a value of their own (distance.NAME.temperature.value). Without one in the law they are ignored.")
	c.Flags().IntVar(&top, "top", 20, "Number of pairs to print, those that share most at the last temperature; 0 for all.")
	o = addPriorFlags(c, "temperature")
	o.addPlot(c, "Draw curves against temperature")
	o.addAverage(c, prior.MaxExactItems)
	return c
}

// maxShared is the max number of items whose pairs are all computed.
const maxShared = 5000

// writeExpected writes a table of pairs by temperatures, or only of means if the file of a plot has the pairs.
func writeExpected(w io.Writer, s *prospect.Sharing, plot string, top int) {
	how := "exact"
	drawn := "draws of the prior"
	if s.Averaged {
		drawn = "permutations"
	}
	if s.Draws > 0 {
		how = fmt.Sprintf("Monte Carlo over %d %s, standard errors in brackets", s.Draws, drawn)
	}
	if s.Averaged {
		how = "averaged over permutations, " + how
	}
	fmt.Fprintf(w, "%s\nExpected number of shared features, %s\n\n", visible.Text(s.Law), how)
	head := []string{"pair"}
	mean := []string{"mean over pairs"}
	for _, row := range s.Rows {
		if row.Temperature == nil {
			head = append(head, "shared")
		} else {
			head = append(head, fmt.Sprintf("temperature %v", *row.Temperature))
		}
		mean = append(mean, words.Fixed(float64(row.Mean), 4))
	}
	t := table{head, mean}
	var pairs [][2]int
	if plot == "" {
		pairs = pairsBy(s.Rows[len(s.Rows)-1].Sharing)
	}
	shown := first(top, pairs)
	for _, p := range shown {
		row := []string{s.Items[p[0]] + " - " + s.Items[p[1]]}
		for _, expected := range s.Rows {
			cell := words.Fixed(expected.Sharing[p[0]][p[1]], 4)
			if expected.StdErr != nil {
				cell += fmt.Sprintf(" (%s)", words.Fixed(expected.StdErr[p[0]][p[1]], 4))
			}
			row = append(row, cell)
		}
		t.add(row...)
	}
	if len(s.Rows) > 10 && len(s.Rows) > len(t) {
		t = lists.Transposed(t) // a line a temperature, which is easier to read
	}
	t.write(w)
	if count := len(pairs) - len(shown); count > 0 {
		fmt.Fprintf(w, "... and %d more pairs: use --top 0 or --json.\n", count)
	}
	if plot != "" {
		fmt.Fprintf(w, "%s has the pairs. Without --plot they are printed.\n", visible.Text(plot))
	}
}

// parseTemperatures reads a list of numbers, or a range from:to:step.
func parseTemperatures(text string) ([]float64, error) {
	wrong := func(text string) error {
		return usageError{fmt.Errorf("--temperatures: found %q, expected numbers such as 0,0.5,1 or a range from:to:step such as 0:5:0.1", text)}
	}
	parse := func(word string) (float64, error) {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return 0, wrong(word)
		}
		if !(x >= 0) || math.IsInf(x, 1) {
			return 0, fmt.Errorf("--temperatures: found %v, expected finite numbers of at least 0", x)
		}
		return x, nil
	}
	separator := ","
	if strings.Contains(text, ":") {
		separator = ":"
	}
	var list []float64
	for word := range strings.SplitSeq(text, separator) {
		x, err := parse(word)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	if separator == "," {
		return list, nil
	}
	const limit = 10_000
	if len(list) != 3 || list[1] < list[0] || !(list[2] > 0) || (list[1]-list[0])/list[2] > limit {
		return nil, wrong(text)
	}
	begin, end, step := list[0], list[1], list[2]
	steps := int(math.Floor((end-begin)/step + 1e-9))
	list = nil
	for i := range steps + 1 {
		// Rounded, so that 3 steps of 0.1 print as 0.3.
		x, _ := strconv.ParseFloat(words.Significant(begin+float64(i)*step, 12), 64)
		list = append(list, x)
	}
	return list, nil
}

// saveExpected draws a curve over the temperature for each pair, colored by the distance of the
// pair: the mean of both directions.
func saveExpected(path string, s *prospect.Sharing, p *model.PriorProblem) error {
	if len(s.Rows) < 2 {
		return usageError{errors.New("--plot: expected a law with a temperature, such as aibd, and at least two temperatures")}
	}
	d := p.Law.(prior.Attraction).Affinity().Distance(0)
	mean := lists.Map(s.Rows, func(row prospect.SharingAt) plotter.XY { return plotter.XY{X: *row.Temperature, Y: float64(row.Mean)} })
	var curves []picture.SharingCurve
	for i, a := range s.Items {
		for j := i + 1; j < len(s.Items); j++ {
			c := picture.SharingCurve{Name: a + " - " + s.Items[j], Distance: (d.At(i, j) + d.At(j, i)) / 2}
			for _, row := range s.Rows {
				c.Points = append(c.Points, plotter.XY{X: *row.Temperature, Y: row.Sharing[i][j]})
			}
			curves = append(curves, c)
		}
	}
	return saveFigure(path, picture.PriorSharing(s.Law, describe.TemperatureUnit(p.Spec.Prior, p.Unit), p.Unit, curves, mean))
}
