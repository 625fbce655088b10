package cli

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
	Against    string  `json:"against"`
	Difference number  `json:"difference"` // positive: the first prior is better
	Error      number  `json:"error"`
	Outcome    outcome `json:"outcome"`
	Sentence   string  `json:"sentence"`
}

func (e evidence) json() evidenceJSON {
	p := e.problem
	j := evidenceJSON{
		Data: p.Spec.Data.Source(), Items: len(p.IDs), Columns: len(p.Columns), Seed: p.Spec.Sampler.Seed,
		Members: e.config.Members, Scans: e.config.Scans, Comparisons: []comparisonJSON{},
	}
	for _, x := range e.estimates {
		entry := priorEvidenceJSON{Law: x.prior.Law, Log: number(x.log), Error: number(x.err()), Spread: number(x.spread), Features: number(x.features)}
		if x.prior.Law == "ddibp" {
			entry.Proximity = x.prior.Proximity
		}
		if x.prior.HasDistances() {
			entry.Decay = x.prior.Decay
		}
		if x.prior.HasTemperature() {
			entry.Temperature = describeTemperature(x.prior)
		}
		for _, log := range x.logs {
			entry.Populations = append(entry.Populations, number(log))
		}
		j.Priors = append(j.Priors, entry)
	}
	for _, c := range e.comparisons() {
		j.Comparisons = append(j.Comparisons, comparisonJSON{c.other.prior.LawName(), number(c.difference), number(c.error), c.outcome, c.sentence()})
	}
	return j
}
