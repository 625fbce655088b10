package runs

// Where a chain stands, on disk: checkpoint.json.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"aibd/internal/files"
	"aibd/mcmc"
)

const checkpointFile = "checkpoint.json"

// checkpoint is what a chain needs to go on, with the draws on disk, as if it had
// never stopped.
type checkpoint struct {
	Run     string          `json:"run"`   // the fingerprint of the run
	Chain   int             `json:"chain"` // from 1
	Seconds float64         `json:"seconds"`
	At      mcmc.Checkpoint `json:"at"`
}

// sealed is a checkpoint with the CRC-32C of its bytes.
type sealed struct {
	CRC32C     string          `json:"crc32c"`
	Checkpoint json.RawMessage `json:"checkpoint"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(b, castagnoli)) }

// fingerprint tells the run from others: the spec but for the number of draws,
// which may grow.
func (r *Run) fingerprint() string {
	spec := r.Spec
	spec.Sampler.Draws = 0
	text, err := json.Marshal(spec)
	if err != nil {
		panic("runs: a complete spec has no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// writeCheckpoint writes where a chain stands. The draws up to there must be on
// disk.
func (r *Run) writeCheckpoint(c int, at mcmc.Checkpoint, elapsed time.Duration) error {
	name := filepath.Join(r.chainDir(c), checkpointFile)
	inner, err := json.Marshal(checkpoint{Run: r.fingerprint(), Chain: c + 1, Seconds: elapsed.Seconds(), At: at})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	content, err := json.Marshal(sealed{CRC32C: checksum(inner), Checkpoint: inner})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return replace(r.disk, name, func(w io.Writer) error {
		_, err := w.Write(append(content, '\n'))
		return err
	})
}

// readCheckpoint returns where a chain stood. If there is no checkpoint, the error
// is an fs.ErrNotExist.
func (r *Run) readCheckpoint(c int) (checkpoint, error) {
	name := filepath.Join(r.chainDir(c), checkpointFile)
	content, err := os.ReadFile(name)
	if err != nil {
		return checkpoint{}, files.Named(name, err)
	}
	p, err := parseCheckpoint(content)
	if err != nil {
		return checkpoint{}, damagedError{fmt.Errorf("%s: damaged: %w", name, err)}
	}
	if p.Run != r.fingerprint() || p.Chain != c+1 {
		return checkpoint{}, fmt.Errorf("%s: found the checkpoint of chain %d of a run whose spec has hash %.8s, expected chain %d and %.8s: %s or this file has been changed", name, p.Chain, p.Run, c+1, r.fingerprint(), recordFile)
	}
	return p, nil
}

// damagedError is about a file whose checksum is wrong, or which is not whole.
type damagedError struct{ error }

func (e damagedError) Unwrap() error { return e.error }

// parseCheckpoint returns the checkpoint in the text of a file, whose checksum
// must be right.
func parseCheckpoint(content []byte) (p checkpoint, err error) {
	var s sealed
	if err := json.Unmarshal(content, &s); err != nil {
		return checkpoint{}, err
	}
	if found := checksum(s.Checkpoint); found != s.CRC32C {
		return checkpoint{}, fmt.Errorf("found CRC-32C %s, expected %q", found, s.CRC32C)
	}
	err = json.Unmarshal(s.Checkpoint, &p)
	return p, err
}
