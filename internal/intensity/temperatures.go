package intensity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"aibd/internal/lists"
)

// Temperatures are the temperatures of the distances of a law, each finite and at least 0.
type Temperatures struct {
	First float64
	Tail  []float64 // of the distances after the first; nil if there is one
}

// Value returns the temperature of distance m.
func (t Temperatures) Value(m int) float64 { return *t.At(m) }

// At returns a pointer to the temperature of distance m.
func (t *Temperatures) At(m int) *float64 {
	if m == 0 {
		return &t.First
	}
	return &t.Tail[m-1]
}

// Equal reports whether both are the same.
func (t Temperatures) Equal(other Temperatures) bool {
	return t.First == other.First && slices.Equal(t.Tail, other.Tail)
}

// Set copies other into t.
func (t *Temperatures) Set(other Temperatures) {
	t.First, t.Tail = other.First, append(t.Tail[:0], other.Tail...)
}

// Clone returns a copy.
func (t Temperatures) Clone() Temperatures { return Temperatures{t.First, slices.Clone(t.Tail)} }

// valid returns an error unless there are as many others as given, and all are finite
// and at least 0.
func (t Temperatures) valid(count int) error {
	if len(t.Tail) != count {
		return fmt.Errorf("temperature: found %d, expected one for each of %d distances", 1+len(t.Tail), 1+count)
	}
	for m := range 1 + count {
		if x := t.Value(m); !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("temperature: found %g, expected a finite number >= 0", x)
		}
	}
	return nil
}

// String lists the temperatures.
func (t Temperatures) String() string {
	all := append([]float64{t.First}, t.Tail...)
	return strings.Join(lists.Map(all, func(x float64) string { return fmt.Sprintf("%g", x) }), ", ")
}
