// Package mcmc samples the posterior of a feature allocation model by Markov chain Monte
// Carlo. NewPosterior puts data, a law and default priors together, and Sample runs
// several chains. NewChain, Chain.Run, Chain.Checkpoint and Resume run one chain that can
// be stopped and continued with the same draws.
//
// The package does not print and does not look at a clock.
package mcmc

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream is a stream of random numbers, a function of a seed and a label: ChaCha8
// keyed by the SHA-256 of both. Streams of different labels are independent.
type Stream struct {
	Rand   *rand.Rand
	source *rand.ChaCha8
}

// NewStream returns the stream of a seed and a label, from its beginning.
func NewStream(seed uint64, label string) *Stream {
	key := binary.LittleEndian.AppendUint64(nil, seed)
	source := rand.NewChaCha8(sha256.Sum256(append(key, label...)))
	return &Stream{Rand: rand.New(source), source: source}
}

// MarshalBinary returns where the stream stands.
func (s *Stream) MarshalBinary() ([]byte, error) { return s.source.MarshalBinary() }

// UnmarshalBinary takes the stream to where MarshalBinary said it stood.
func (s *Stream) UnmarshalBinary(b []byte) error {
	source := new(rand.ChaCha8)
	if err := source.UnmarshalBinary(b); err != nil {
		return err
	}
	*s = Stream{Rand: rand.New(source), source: source}
	return nil
}
