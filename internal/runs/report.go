package runs

// The report on a chain: chain.json.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aibd/internal/checksum"
	"aibd/mcmc"
)

const reportFile = "chain.json"

// ChainReport counts what a chain did, in a further round that is not complete as well.
type ChainReport struct {
	Run      string         `json:"run"`   // the fingerprint of the run; "" in runs made before
	Chain    int            `json:"chain"` // from 1
	Scans    int            `json:"scans"` // made, with warmup
	Draws    int            `json:"draws"` // kept
	Complete bool           `json:"complete"`
	Seconds  float64        `json:"seconds"`
	Kernels  []KernelReport `json:"kernels"` // in the order of a scan
	Steps    mcmc.Steps     `json:"steps"`
	Limited  int            `json:"limited_scans,omitzero"` // scans in which mcmc.MaxFeatures bound
	CRC32C   string         `json:"crc32c"`
}

// KernelReport counts the proposals of a kernel after warmup, or in warmup if the chain
// stopped there.
type KernelReport struct {
	Name     string `json:"name"`
	Proposed int    `json:"proposed"`
	Accepted int    `json:"accepted"`
}

// writeReport writes chain.json.
func (r *Run) writeReport(c int, chain *mcmc.Chain, elapsed time.Duration) error {
	o := r.Spec.Sampler
	report := ChainReport{
		Run: r.fingerprint(), Chain: c + 1, Scans: chain.Done(), Draws: o.Config().DrawsAt(chain.Done()),
		Complete: chain.Done() == r.Scans(), Seconds: elapsed.Seconds(), Steps: chain.Steps(), Limited: chain.Limited(), CRC32C: checksum.Zeros,
	}
	for _, t := range chain.Totals() {
		if t.Proposed == 0 {
			continue
		}
		report.Kernels = append(report.Kernels, KernelReport{t.Name, t.Proposed, t.Accepted})
	}
	return writeJSON(r.disk, filepath.Join(r.chainDir(c), reportFile), report)
}

// Reports returns the reports that can be read, by chain. The note names those that cannot,
// and those of other chains or runs, in one line. Draws and Complete describe the round of r, even if the chain has begun the
// next one; all else covers the scans of both.
func (r *Run) Reports() (reports []ChainReport, note string) {
	var notes []string
	for c := range r.Spec.Sampler.Chains {
		name := filepath.Join(r.chainDir(c), reportFile)
		var report ChainReport
		err := readJSON(r.source, name, maxReport, &report)
		if err == nil && (report.Chain != c+1 || report.Run != "" && !r.matches(report.Run)) {
			err = fmt.Errorf("%s: found the report of chain %d of run %.8s, expected chain %d of %.8s", name, report.Chain, report.Run, c+1, r.fingerprint())
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		report.Draws, report.Complete = r.Spec.Sampler.Config().DrawsAt(min(report.Scans, r.Scans())), report.Scans >= r.Scans()
		reports = append(reports, report)
	}
	return reports, strings.Join(notes, "; ")
}

// Unreported says in one line which reports do not cover the draws of traces: they are missing,
// or older than the draws. It returns "" if there are none.
func (r *Run) Unreported(traces []Trace, reports []ChainReport) string {
	var gaps []string
	for _, t := range traces {
		name, drawn := filepath.Join(r.chainDir(t.Chain), reportFile), t.Len()
		i := slices.IndexFunc(reports, func(c ChainReport) bool { return c.Chain == t.Chain+1 })
		switch {
		case i >= 0 && reports[i].Draws < drawn:
			gaps = append(gaps, fmt.Sprintf("%s is older than the draws: it counts the proposals before draw %d of %d", name, reports[i].Draws+1, drawn))
		case i < 0 && drawn > 0:
			if _, err := r.source.Stat(name); errors.Is(err, fs.ErrNotExist) { // Reports names others
				gaps = append(gaps, name+" is missing: the proposals of the chain are not counted")
			}
		}
	}
	return strings.Join(gaps, "; ")
}

// SecondsPerScan returns the mean wall time of a scan of a chain, 0 if the run has no times.
func (r *Run) SecondsPerScan() float64 {
	reports, _ := r.Reports()
	seconds, scans := 0.0, 0
	for _, report := range reports {
		seconds, scans = seconds+report.Seconds, scans+report.Scans
	}
	return seconds / max(1, float64(scans))
}
