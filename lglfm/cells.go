package lglfm

import (
	"aibd/draws"
	"aibd/feature"
	"aibd/internal/collapsed"
)

// Cells is the distribution of the unknown cells of X given the observed ones, Z and the scales: the
// loadings are integrated out. Cells of different columns are independent. With O the
// observed rows of a column x, and z_i the row of Z of an unknown cell,
//
//	P_O = (Z_O'Z_O + rI)^{-1}
//	x_i | x_O ~ N(z_i P_O Z_O'x_O, SigmaX^2 (1 + z_i P_O z_i'))
//
// With an intercept Z stands for [1 Z], and the ones have no ridge: P_O is the limit.
//
// A Cells belongs to one goroutine.
type Cells struct {
	data         *Data
	current      *collapsed.Data // with the values of cells with bounds
	distribution collapsed.Cells
}

// NewCells prepares for the unknown cells of data.
func NewCells(data *Data) *Cells { return &Cells{data: data, current: data.data.Detach()} }

// Reset computes the distribution at z. It returns the error of Data.Check, after which Each must not
// be called. It panics if z has another number of items.
func (c *Cells) Reset(z *feature.Allocation, scales Scales) error {
	return c.ResetWeighted(z, nil, scales)
}

// ResetWeighted is Reset for weighted features, with weights as in draws.Draw. It panics if there
// are not as many as ones in Z.
func (c *Cells) ResetWeighted(z *feature.Allocation, weights []float64, scales Scales) error {
	if err := c.data.Check(scales); err != nil {
		return err
	}
	if c.data.Intercept() {
		z, weights = collapsed.WithOnesWeighted(z, weights)
	}
	c.distribution.ResetWeighted(c.current, z, weights, scales)
	return nil
}

// ResetDraw is ResetWeighted at Z, the weights, the scales and the noise scales of a draw, given its values of the cells
// of X that have bounds.
func (c *Cells) ResetDraw(d *draws.Draw) error {
	if err := c.data.checkCutpoints(d); err != nil {
		return err
	}
	if err := c.current.SetNoiseScales(d.NoiseScales); err != nil {
		return err
	}
	if err := c.current.SetBounded(d.Cells); err != nil {
		return err
	}
	return c.ResetWeighted(d.Z, d.Weights, ScalesOf(d))
}

// Each calls visit for each unknown cell without bounds with its row, its column, and the mean and the
// standard deviation of its distribution, in no particular order.
func (c *Cells) Each(visit func(i, j int, mean, sd float64)) {
	if c.data.Unknown() > 0 {
		c.distribution.Moments(visit)
	}
}

// MissingCells returns row and column of each unknown cell without bounds, row by row. Callers
// must not change it.
func (m *Data) MissingCells() [][2]int { return m.data.MissingCells() }

// UnknownCells returns row and column of each unknown cell, row by row. Callers must not
// change it.
func (m *Data) UnknownCells() [][2]int { return m.data.UnknownCells() }
