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
	if found := clipped(style, "mass", wide); found != "mass" {
		t.Errorf("found %q, expected mass", found)
	}
	found := clipped(style, "(per unit of distances.csv)", wide)
	if !strings.HasPrefix(found, "(per unit") || !strings.HasSuffix(found, "\u2026") || style.Width(found) > wide {
		t.Errorf("found %q of width %v, expected at most %v", found, style.Width(found), wide)
	}
}
