package lglfm

import (
	"fmt"
	"math"

	"aibd/draws"
)

// Cutpoints finds the cutpoints of ordinal columns in draws, by variable.
type Cutpoints struct {
	columns map[int]ordinalCutpoints
}

// ordinalCutpoints are the cutpoints of a column: how many levels it has, and its first one in a draw.
type ordinalCutpoints struct{ levels, first int }

// NewCutpoints returns the cutpoints of the ordinal columns of data.
func NewCutpoints(data *Data) Cutpoints {
	columns, first := map[int]ordinalCutpoints{}, 0
	for _, o := range data.Ordinal() {
		columns[o.Variable] = ordinalCutpoints{o.Levels, first}
		first += o.Levels - 2
	}
	return Cutpoints{columns}
}

// Levels returns the number of categories of a variable, 0 if it is not ordinal.
func (c Cutpoints) Levels(variable int) int { return c.columns[variable].levels }

// Ends returns the cutpoints of a category, from zero, of an ordinal variable in a draw.
func (c Cutpoints) Ends(d *draws.Draw, variable, level int) (lower, upper float64) {
	o := c.columns[variable]
	cut := func(level int) float64 {
		switch level {
		case 0:
			return math.Inf(-1)
		case 1:
			return 0
		case o.levels:
			return math.Inf(1)
		}
		return d.Cutpoints[o.first+level-2]
	}
	return cut(level), cut(level + 1)
}

// Category returns the category, from zero, of a latent value of an ordinal variable in a draw.
func (c Cutpoints) Category(d *draws.Draw, variable int, latent float64) int {
	for level := range c.columns[variable].levels - 1 {
		if _, upper := c.Ends(d, variable, level); latent <= upper {
			return level
		}
	}
	return c.columns[variable].levels - 1
}

// checkCutpoints returns an error if a draw has another number of cutpoints than the data.
func (m *Data) checkCutpoints(d *draws.Draw) error {
	if count, want := len(d.Cutpoints), m.FreeCutpoints(); count != want {
		return fmt.Errorf("found %d cutpoints, expected %d", count, want)
	}
	return nil
}

// Complete returns X with the values that a draw has for the cells with bounds, NaN for other unknown cells.
func (m *Data) Complete(d *draws.Draw) [][]float64 {
	y := m.X()
	for c, cell := range m.data.BoundedCells() {
		y[cell[0]][cell[1]] = d.Cells[c]
	}
	return y
}
