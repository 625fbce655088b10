package mcmc

import "fmt"

// Features says how items have features.
type Features string

const (
	// Binary features: an item has a feature or not, as in the paper. The empty name stands for it.
	Binary Features = "binary"
	// Weighted features: each feature of each item has a weight, whose variance is 1 (see WeightPrior).
	Weighted Features = "weighted"
)

// DefaultFeatures says how items have features by default.
const DefaultFeatures = Weighted

// weights reports whether features have weights.
func (f Features) weights() bool { return f == Weighted }

// valid returns an error unless there are such features.
func (f Features) valid() error {
	if f == "" || f == Binary || f.weights() {
		return nil
	}
	return fmt.Errorf("features: found %q, expected %s or %s", string(f), Binary, Weighted)
}
