package cli

// The summary of a run as JSON.

import (
	"aibd/internal/results"
	"aibd/internal/verdict"
)

type summaryJSON struct {
	Run        string         `json:"run"`
	Law        string         `json:"law"`
	Features   string         `json:"features"`            // binary, weighted or graded
	Proximity  string         `json:"proximity,omitempty"` // of the law ddibp
	Items      int            `json:"items"`
	Columns    int            `json:"columns"`
	Chains     []int          `json:"chains"` // their numbers, from one
	Draws      int            `json:"draws_per_chain"`
	Note       string         `json:"note,omitempty"`
	Quantities []quantityJSON `json:"quantities"`
	Kernels    []kernelJSON   `json:"kernels"`
	Limited    int            `json:"limited_scans,omitzero"` // in which mcmc.MaxFeatures bound, of all chains
	Deviance   struct {
		Mean number `json:"mean_deviance"` // the paper calls it DIC
		PD   number `json:"p_d"`
		DIC  number `json:"dic"`
	} `json:"deviance"`
	Verdict   *verdict.Verdict    `json:"verdict"`
	Found     []string            `json:"found"`
	Distances []distanceJSON      `json:"distances,omitempty"`
	Entangled []results.Entangled `json:"entangled,omitempty"`
	Cells     []prediction        `json:"cells,omitempty"`
}

type quantityJSON struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit,omitempty"`
	Fixed   bool    `json:"fixed"`
	Mean    number  `json:"mean"`
	SD      *number `json:"sd,omitempty"` // absent if fixed, as are the next
	MCSE    *number `json:"mcse,omitempty"`
	Q5      *number `json:"q5,omitempty"`
	Q50     *number `json:"q50,omitempty"`
	Q95     *number `json:"q95,omitempty"`
	RHat    *number `json:"r_hat,omitempty"`
	ESSBulk *number `json:"ess_bulk,omitempty"`
	ESSTail *number `json:"ess_tail,omitempty"`
}

type kernelJSON struct {
	Name       string `json:"name"`
	Proposed   []int  `json:"proposed"` // by chain
	Accepted   []int  `json:"accepted"`
	Acceptance number `json:"acceptance"`
}

func (s *summary) json() summaryJSON {
	j := summaryJSON{
		Run: s.Run.Dir, Law: s.Run.Spec.Prior.Law, Features: s.Run.Spec.Likelihood.Kind(), Items: s.Run.Data.N, Columns: s.Run.Data.D,
		Chains: s.Numbers(), Draws: len(s.Chains[0]), Note: s.Note,
		Kernels: []kernelJSON{}, Verdict: s.Verdict, Found: s.found(),
	}
	if j.Law == "ddibp" {
		j.Proximity = s.Run.Spec.Prior.Proximity
	}
	for i, q := range s.quantities {
		of := s.summaries[i]
		entry := quantityJSON{Name: q.Key, Unit: q.Unit, Fixed: q.Kind == verdict.Fixed, Mean: number(of.Mean)}
		if q.Kind != verdict.Fixed {
			entry.SD, entry.MCSE = new(number(of.SD)), new(number(of.MCSE))
			entry.Q5, entry.Q50, entry.Q95 = new(number(of.Q5)), new(number(of.Q50)), new(number(of.Q95))
			entry.RHat, entry.ESSBulk, entry.ESSTail = new(number(of.RHat)), new(number(of.ESSBulk)), new(number(of.ESSTail))
		}
		j.Quantities = append(j.Quantities, entry)
	}
	for _, k := range s.kernels {
		j.Kernels = append(j.Kernels, kernelJSON{k.name, k.proposed, k.accepted, number(k.rate())})
	}
	j.Limited, j.Cells, j.Distances, j.Entangled = s.limited, s.cells, s.distances, s.entangled
	d := s.deviance
	j.Deviance.Mean, j.Deviance.PD, j.Deviance.DIC = number(d.MeanDeviance), number(d.PD), number(d.DIC)
	return j
}

// number is a float64 that JSON can show.
type number = results.Number
