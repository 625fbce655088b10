package runs

// How a chain went: chain.json.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aibd/internal/files"
	"aibd/internal/model"
	"aibd/mcmc"
)

const reportFile = "chain.json"

// ChainReport says how a chain went.
type ChainReport struct {
	Chain    int            `json:"chain"` // from 1
	Scans    int            `json:"scans"` // made, with warmup
	Draws    int            `json:"draws"` // kept
	Complete bool           `json:"complete"`
	Seconds  float64        `json:"seconds"`
	Kernels  []KernelReport `json:"kernels"` // in the order of a scan
	Steps    mcmc.Steps     `json:"steps"`
	// Limited is the number of scans in which mcmc.MaxFeatures bound.
	Limited int `json:"limited_scans,omitzero"`
}

// KernelReport counts what the updates of one kind proposed and accepted, in
// warmup if the chain ended there, else after it.
type KernelReport struct {
	Name     string `json:"name"`
	Proposed int    `json:"proposed"`
	Accepted int    `json:"accepted"`
}

// writeReport writes chain.json.
func (r *Run) writeReport(c int, chain *mcmc.Chain, elapsed time.Duration) error {
	o := r.Spec.Sampler
	report := ChainReport{
		Chain: c + 1, Scans: chain.Done(), Draws: o.DrawsAt(chain.Done()),
		Complete: chain.Done() == r.Scans(), Seconds: elapsed.Seconds(), Steps: chain.Steps(), Limited: chain.Limited(),
	}
	for _, t := range chain.Totals() {
		if t.Proposed == 0 {
			continue
		}
		report.Kernels = append(report.Kernels, KernelReport{t.Name, t.Proposed, t.Accepted})
	}
	content, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", model.ChainName(c), err)
	}
	return replace(r.disk, filepath.Join(r.chainDir(c), reportFile), func(w io.Writer) error {
		_, err := w.Write(append(content, '\n'))
		return err
	})
}

// Reports returns the reports of the chains that have one, in order. The note says,
// in one line, which cannot be read, if any.
func (r *Run) Reports() (reports []ChainReport, note string) {
	var notes []string
	for c := range r.Spec.Sampler.Chains {
		name := filepath.Join(r.chainDir(c), reportFile)
		content, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var report ChainReport
		if err == nil {
			err = json.Unmarshal(content, &report)
		}
		if err != nil {
			notes = append(notes, files.Named(name, err).Error())
			continue
		}
		reports = append(reports, report)
	}
	return reports, strings.Join(notes, "; ")
}
