package cli

import (
	"aibd/internal/describe"
	"aibd/internal/results"
)

// The log evidence as JSON. It has no clock: the same spec and seed give the same bytes.

type evidenceJSON struct {
	Data        string              `json:"data"`
	Items       int                 `json:"items"`
	Columns     int                 `json:"columns"`
	Seed        uint64              `json:"seed"`
	Members     int                 `json:"members"`
	Scans       int                 `json:"scans"`
	Priors      []priorEvidenceJSON `json:"priors"`
	Comparisons []comparisonJSON    `json:"comparisons"`
}

type priorEvidenceJSON struct {
	Law         string   `json:"law"`
	Proximity   string   `json:"proximity,omitempty"`   // of the law ddibp
	Decay       string   `json:"decay,omitempty"`       // of a law with distances
	Temperature string   `json:"temperature,omitempty"` // its prior or value
	Log         number   `json:"log_evidence"`
	Error       number   `json:"error"`
	Spread      number   `json:"spread"`
	Populations []number `json:"populations"`
	Features    number   `json:"features"`
}

type comparisonJSON struct {
	Against    string          `json:"against"`
	Difference number          `json:"difference"` // positive: the first prior is better
	Error      number          `json:"error"`
	Outcome    results.Outcome `json:"outcome"`
	Sentence   string          `json:"sentence"`
}

func (e evidence) json() evidenceJSON {
	p := e.problem
	j := evidenceJSON{
		Data: p.Spec.Data.Source(), Items: len(p.IDs), Columns: len(p.Columns), Seed: p.Spec.Sampler.Seed,
		Members: e.size.Members, Scans: e.size.Scans, Comparisons: []comparisonJSON{},
	}
	for _, x := range e.estimates {
		entry := priorEvidenceJSON{Law: x.Prior.Law, Log: number(x.Log), Error: number(x.StdErr()), Spread: number(x.Spread), Features: number(x.Features)}
		if x.Prior.Law == "ddibp" {
			entry.Proximity = x.Prior.Proximity
		}
		if x.Prior.HasDistances() {
			entry.Decay = x.Prior.Decay
		}
		if x.Prior.HasTemperature() {
			entry.Temperature = describe.Temperature(x.Prior, len(p.Spec.Distance.All()))
		}
		for _, log := range x.Logs {
			entry.Populations = append(entry.Populations, number(log))
		}
		j.Priors = append(j.Priors, entry)
	}
	for _, c := range e.comparisons() {
		j.Comparisons = append(j.Comparisons, comparisonJSON{c.Other.Prior.LawName(), number(c.Difference), number(c.StdErr), c.Outcome, sentence(c)})
	}
	return j
}
