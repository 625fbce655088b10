package runs

// The kinds of features that were compared for a run: kinds.json.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"aibd/internal/checksum"
	"aibd/internal/verdict"
)

const kindsFile = "kinds.json"

// Kinds says whether another kind of features predicts hidden cells clearly better than that of a run.
type Kinds struct {
	Cells      int     `json:"cells"`            // that were hidden
	Better     string  `json:"better,omitempty"` // kind of features, "" if none is clearly better
	Difference float64 `json:"difference"`       // by which the sum of the log densities of the cells is larger, in nats
	Error      float64 `json:"difference_se"`
	CRC32C     string  `json:"crc32c"`
}

// WriteKinds keeps a comparison of kinds of features in the run.
func (r *Run) WriteKinds(k Kinds) error {
	k.CRC32C = checksum.Zeros
	return writeJSON(r.disk, filepath.Join(r.Dir, kindsFile), k)
}

// BetterKind returns a sentence about another kind of features that predicts hidden cells clearly better,
// "" if none was found.
func (r *Run) BetterKind() (string, error) {
	k := new(Kinds)
	switch err := readJSON(r.source, filepath.Join(r.Dir, kindsFile), maxRecord, k); {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case k.Better == "":
		return "", nil
	}
	return fmt.Sprintf("%s features probably predict better: %d hidden cells by %.3g nats (standard error %.2g) in short runs (aibd compare %s --features binary,weighted,graded compares all kinds).",
		strings.ToUpper(k.Better[:1])+k.Better[1:], k.Cells, k.Difference, k.Error, verdict.Quoted(r.Dir)), nil
}
