package mcmc

import "fmt"

// Features says how items have features.
type Features string

const (
	// Binary features: an item has a feature or not, as in the paper. The empty name stands for it.
	Binary Features = "binary"
	// Weighted features: each feature of each item has a weight, w ~ N(0, 1).
	Weighted Features = "weighted"
	// Graded features: w ~ N(1, SigmaW^2), SigmaW half-normal with scale 1. SigmaW = 0 stands for
	// binary features.
	Graded Features = "graded"
)

// DefaultFeatures says how items have features by default.
const DefaultFeatures = Weighted

// weights reports whether features have weights.
func (f Features) weights() bool { return f == Weighted || f == Graded }

// valid returns an error unless there are such features.
func (f Features) valid() error {
	if f == "" || f == Binary || f.weights() {
		return nil
	}
	return fmt.Errorf("features: found %q, expected %s, %s or %s", string(f), Binary, Weighted, Graded)
}
