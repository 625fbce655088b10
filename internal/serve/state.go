package serve

import (
	"fmt"
	"strings"

	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/words"
)

// What a run does.
const (
	sampling = "sampling"
	stopping = "stopping"
	stopped  = "stopped"
	complete = "complete"
	damaged  = "damaged"
	removed  = "removed"
)

// state tells where a run stands.
type state struct {
	State  string `json:"state"` // one of the constants
	Text   string `json:"text"`
	Done   int    `json:"done"` // scans of the round
	Total  int    `json:"total"`
	Stop   bool   `json:"stop"`             // the page may stop it
	Resume string `json:"resume,omitempty"` // what the page may do to continue it
	Alert  string `json:"alert,omitempty"`  // why a process failed, and damage
	Token  string `json:"token,omitempty"`
}

// broken is the state of a run whose run.json cannot be read.
func broken(err error) state { return state{State: damaged, Text: "Damaged", Alert: err.Error()} }

// stateOf returns the state of a run with the given reports on its chains and the round that they
// are in. The damage is what else is known of it.
func (s *Server) stateOf(name string, run, underWay *runs.Run, reports []runs.ChainReport, damage []string) state {
	o, from := underWay.Spec.Sampler, underWay.Before()
	round := o.Round
	st := state{Total: o.Chains * (o.Config().Scans() - from), Alert: strings.Join(damage, "; ")}
	drawn, warm := 0, len(reports) > 0
	for _, r := range reports {
		st.Done += min(max(r.Scans, from), o.Config().Scans()) - from
		drawn += min(o.Config().DrawsAt(r.Scans), o.Draws)
		warm = warm && r.Scans >= o.Warmup+o.Skip
	}
	whole := len(reports) == o.Chains && st.Done == st.Total
	percent := ""
	if st.Total > 0 {
		percent = fmt.Sprintf("%d%%", 100*st.Done/st.Total)
	}
	where := fmt.Sprintf("%s of round %d", percent, round)
	if o.Until != spec.UntilAgreed && round == 1 {
		where = percent
	}
	draws := fmt.Sprintf("%s of %s draws", words.Count(drawn), words.Count(o.Draws*o.Chains))
	if !warm && drawn == 0 {
		draws = "warmup"
	}
	busy, stoppable, asked := s.sampler(name, run)
	switch {
	case asked:
		st.State, st.Text = stopping, "Stopping: "+where
	case busy && whole:
		st.State, st.Text, st.Stop = sampling, fmt.Sprintf("Sampling: round %d is complete", round), stoppable
	case busy:
		st.State, st.Text, st.Stop = sampling, "Sampling: "+where+", "+draws, stoppable
	case whole:
		st.State, st.Text = complete, fmt.Sprintf("Complete: %s draws of %s", words.Count(drawn), words.Plural(o.Chains, "chain"))
		if round > 1 {
			st.Text += fmt.Sprintf(", round %d", round)
		}
		if o.Until == spec.UntilAgreed {
			st.Resume = "Sample further rounds"
		}
	default:
		st.State, st.Text, st.Resume = stopped, "Stopped: "+where+", "+draws, "Resume"
	}
	if len(s.o.Resume) == 0 || !canSignal {
		st.Resume = ""
	}
	if failed := s.lastFailure(name); failed != "" && !busy {
		st.Alert = strings.TrimPrefix(st.Alert+"; "+failed, "; ")
	}
	return st
}
