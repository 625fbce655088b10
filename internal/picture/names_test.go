package picture

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"aibd/internal/figure"
)

// TestClipped: a long name loses its end, a short one nothing.
func TestClipped(t *testing.T) {
	style, wide := figure.Text(figure.TickSize), 20*vg.Millimeter
	if got := clipped(style, "mass", wide); got != "mass" {
		t.Errorf("found %q, expected mass", got)
	}
	got := clipped(style, "(per unit of distances.csv)", wide)
	if !strings.HasPrefix(got, "(per unit") || !strings.HasSuffix(got, "\u2026") || style.Width(got) > wide {
		t.Errorf("found %q of width %v, expected at most %v", got, style.Width(got), wide)
	}
}
