package runs

// The report on a chain: chain.json.

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"time"

	"aibd/internal/model"
	"aibd/mcmc"
)

const reportFile = "chain.json"

// ChainReport counts what a chain did.
type ChainReport struct {
	Chain    int            `json:"chain"` // from 1
	Scans    int            `json:"scans"` // made, with warmup
	Draws    int            `json:"draws"` // kept
	Complete bool           `json:"complete"`
	Seconds  float64        `json:"seconds"`
	Kernels  []KernelReport `json:"kernels"` // in the order of a scan
	Steps    Steps          `json:"steps"`
	CRC32C   string         `json:"crc32c"`
}

// KernelReport counts the proposals of a kernel after warmup, or in warmup if the chain
// stopped there.
type KernelReport struct {
	Name     string `json:"name"`
	Proposed int    `json:"proposed"`
	Accepted int    `json:"accepted"`
}

// Steps holds the tuned standard deviations of the proposals, and the correlation of those
// of SigmaX and SigmaA. They are 0 for fixed parameters.
type Steps struct {
	Temperature float64 `json:"temperature,omitzero"`
	SigmaX      float64 `json:"sigma_x,omitzero"`
	SigmaA      float64 `json:"sigma_a,omitzero"`
	Correlation float64 `json:"correlation,omitzero"`
}

// writeReport writes chain.json.
func (r *Run) writeReport(c int, chain *mcmc.Chain, elapsed time.Duration) error {
	steps, err := r.steps(chain)
	if err != nil {
		return fmt.Errorf("%s: %w", model.ChainName(c), err)
	}
	o := r.Spec.Sampler
	report := ChainReport{
		Chain: c + 1, Scans: chain.Done(), Draws: o.DrawsAt(chain.Done()),
		Complete: chain.Done() == r.Scans(), Seconds: elapsed.Seconds(), Steps: steps, CRC32C: noChecksum,
	}
	for _, t := range chain.Totals() {
		if t.Proposed == 0 {
			continue // annealing, or nothing yet
		}
		report.Kernels = append(report.Kernels, KernelReport{t.Name, t.Proposed, t.Accepted})
	}
	return writeJSON(r.disk, filepath.Join(r.chainDir(c), reportFile), report)
}

// steps returns the tuned steps, or those of the spec without tuning.
func (r *Run) steps(chain *mcmc.Chain) (Steps, error) {
	o, post := r.Spec.Sampler, r.problem.Posterior
	s := Steps{o.StepTemperature, o.StepSigmaX, o.StepSigmaA, o.StepCorrelation}
	randomX, randomA := post.SigmaX.Random(), post.SigmaA.Random()
	if o.Tune && o.OtherUpdates > 0 {
		point, err := chain.Checkpoint()
		if err != nil {
			return Steps{}, err
		}
		// In the order of mcmc.NewScan: annealing, temperature, scales.
		tuned := point.Tuning
		if o.Annealed() > 0 {
			tuned = tuned[1:]
		}
		if post.Temperature != nil {
			s.Temperature, tuned = tuned[0][0], tuned[1:]
		}
		if randomX || randomA {
			factor := tuned[0] // of the covariance, [a 0; b c]
			s.SigmaX, s.SigmaA = factor[0], factor[2]
			if randomX && randomA {
				s.SigmaA = math.Hypot(factor[1], factor[2])
				s.Correlation = factor[1] / s.SigmaA
			}
		}
	}
	if post.Temperature == nil {
		s.Temperature = 0
	}
	if !randomX {
		s.SigmaX, s.Correlation = 0, 0
	}
	if !randomA {
		s.SigmaA, s.Correlation = 0, 0
	}
	return s, nil
}

// Reports returns the reports that can be read, by chain. The note names the others in
// one line.
func (r *Run) Reports() (reports []ChainReport, note string) {
	var notes []string
	for c := range r.Spec.Sampler.Chains {
		name := filepath.Join(r.chainDir(c), reportFile)
		var report ChainReport
		err := readJSON(name, &report)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		reports = append(reports, report)
	}
	return reports, strings.Join(notes, "; ")
}
