package runs

// Where a chain stands, on disk: checkpoint.json.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"aibd/internal/checksum"
	"aibd/internal/spec"
	"aibd/mcmc"
)

const checkpointFile = "checkpoint.json"

// checkpoint is what a chain needs, with the draws on disk, to continue as if it had
// never stopped.
type checkpoint struct {
	Run     string          `json:"run"`   // the fingerprint of the run
	Chain   int             `json:"chain"` // from 1
	Seconds float64         `json:"seconds"`
	State   mcmc.Checkpoint `json:"at"`
	CRC32C  string          `json:"crc32c"`
}

// fingerprint identifies a round of the run in its files: a hash of what determines the
// draws of each chain. The hash of the data stands for their source, for what was done to
// them and for the distances. The numbers of chains, draws and rounds change no draw.
func (r *Run) fingerprint() string {
	s := r.Spec
	s.Data, s.Distance = spec.Data{Hash: s.Data.Hash, Intercept: s.Data.Intercept, Binary: s.Data.Binary, Ordinal: s.Data.Ordinal, Noise: s.Data.Noise}, s.Distance.OwnPrior()
	s.Sampler.Chains, s.Sampler.Draws, s.Sampler.Round, s.Sampler.Until = 0, 0, 0, ""
	text, err := json.Marshal(s)
	if err != nil {
		panic("runs: a complete spec has no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// writeCheckpoint writes where a chain stands. The draws up to there must be on
// disk.
func (r *Run) writeCheckpoint(c int, state mcmc.Checkpoint, elapsed time.Duration) error {
	return writeJSON(r.disk, filepath.Join(r.chainDir(c), checkpointFile),
		checkpoint{Run: r.fingerprint(), Chain: c + 1, Seconds: elapsed.Seconds(), State: state, CRC32C: checksum.Zeros})
}

// maxCheckpoint returns the max size of a checkpoint: Z with the most features that a chain
// can have, in base 64, a line for each item, cell, cutpoint and noise scale, and a MiB for all else.
func (r *Run) maxCheckpoint() int64 {
	n, d := int64(r.Data.N), int64(r.Data.D)
	const line = 40
	z := mcmc.MaxFeatures * ((n + 7) / 8) * 4 / 3
	return min(z+line*(n+n*d+int64(len(r.Data.Cutpoints))+d)+1<<20, maxSegment)
}

// readCheckpoint returns where a chain stood. If there is no checkpoint, the error
// is an fs.ErrNotExist.
func (r *Run) readCheckpoint(c int) (p checkpoint, err error) {
	name := filepath.Join(r.chainDir(c), checkpointFile)
	if err := readJSON(r.source, name, r.maxCheckpoint(), &p); err != nil {
		return checkpoint{}, err
	}
	if !r.matches(p.Run) || p.Chain != c+1 {
		return checkpoint{}, fmt.Errorf("%s: found the checkpoint of chain %d of run %.8s, expected chain %d of %.8s", name, p.Chain, p.Run, c+1, r.fingerprint())
	}
	return p, nil
}

// matches reports whether a fingerprint belongs to r, to the round before or to the next one.
func (r *Run) matches(fingerprint string) bool {
	return fingerprint == r.fingerprint() || r.Begun() && fingerprint == r.prior.fingerprint() || !r.Begun() && r.next(fingerprint) != nil
}
