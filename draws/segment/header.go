package segment

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Header holds the constants of a segment.
type Header struct {
	N                   int    `json:"items"`                          // at least 1
	Chain               int    `json:"chain"`                          // number of the chain, from zero
	DrawsPerChain       int    `json:"draws_per_chain"`                // planned number of kept scans of each chain of the run, at least 1
	Segment             int    `json:"segment"`                        // number of the segment in its chain, from zero
	Run                 string `json:"run"`                            // identifies the run; printable text
	Weights             bool   `json:"weights,omitempty"`              // each draw has Draw.Weights
	Cells               int    `json:"cells,omitempty"`                // len(Draw.Cells) of each draw
	Cutpoints           int    `json:"cutpoints,omitempty"`            // len(Draw.Cutpoints) of each draw
	NoiseScales         int    `json:"noise_scales,omitempty"`         // len(Draw.NoiseScales) of each draw
	FurtherTemperatures int    `json:"further_temperatures,omitempty"` // len(Draw.FurtherTemperatures) of each draw
	Shares              int    `json:"weight_shares,omitempty"`        // len(Draw.Shares) of each draw, beside weights; len(Draw.Rates) is one less, at least 0
}

// check returns an error if a number is out of range. The draws of all chains of a run are
// numbered in 32 bits.
func (h Header) check() error {
	switch {
	case h.N < 1 || h.N > math.MaxInt32:
		return fmt.Errorf("found %d items, expected 1 to %d", h.N, math.MaxInt32)
	case h.Chain < 0 || h.Chain >= math.MaxInt32:
		return fmt.Errorf("found chain %d (from zero), expected 0 to %d", h.Chain, math.MaxInt32-1)
	case h.DrawsPerChain < 1 || int64(h.DrawsPerChain) > math.MaxInt32/(int64(h.Chain)+1):
		return fmt.Errorf("found %d draws per chain in chain %d (from zero), expected 1 to %d", h.DrawsPerChain, h.Chain, math.MaxInt32/(h.Chain+1))
	case strings.ContainsFunc(h.Run, unicode.IsControl) || !utf8.ValidString(h.Run):
		return fmt.Errorf("found run %q, expected printable text", h.Run)
	case h.Shares < 0 || h.Shares > maxFurther || h.Shares > 0 && !h.Weights:
		return fmt.Errorf("found %d shares of the variance of weights, expected 0 to %d with weights", h.Shares, maxFurther)
	case h.Cells < 0 || h.Cells > math.MaxInt32/8:
		return fmt.Errorf("found %d cells, expected 0 to %d", h.Cells, math.MaxInt32/8)
	case h.Cutpoints < 0 || h.Cutpoints > math.MaxInt32/8 || h.Cutpoints > 0 && h.Cells == 0:
		return fmt.Errorf("found %d cutpoints and %d cells, expected 0 to %d with cells", h.Cutpoints, h.Cells, math.MaxInt32/8)
	case h.NoiseScales < 0 || h.NoiseScales > math.MaxInt32/8:
		return fmt.Errorf("found %d noise scales, expected 0 to %d", h.NoiseScales, math.MaxInt32/8)
	case h.FurtherTemperatures < 0 || h.FurtherTemperatures > maxFurther:
		return fmt.Errorf("found temperatures of %d distances after the first, expected 0 to %d", h.FurtherTemperatures, maxFurther)
	case h.Segment < 0 || h.Segment >= math.MaxInt32:
		return fmt.Errorf("found segment %d (from zero), expected 0 to %d", h.Segment, math.MaxInt32-1)
	}
	return nil
}

// maxFurther bounds the distances after the first.
const maxFurther = 1000

// draw returns the number of a draw among the draws of all chains, from one.
func (h Header) draw(iteration int) int { return h.Chain*h.DrawsPerChain + iteration + 1 }
