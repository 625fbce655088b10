package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
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

// state describes the progress of a run.
type state struct {
	State       string // one of the constants
	Text        string
	Done, Total int    // scans of the round
	Stop        bool   // the page may stop it
	Resume      string // a command that continues it
	Alert       string // damage
}

// broken is the state of a run whose run.json cannot be read.
func broken(err error) state {
	if errors.Is(err, fs.ErrNotExist) {
		return state{State: removed, Text: "There is no run here."}
	}
	return state{State: damaged, Text: "Damaged", Alert: err.Error()}
}

// stateOf returns the state of a run with the given reports on its chains, their round, and lines on
// damage.
func (s *Server) stateOf(name string, run, underWay *runs.Run, reports []runs.ChainReport, damage []string) state {
	o, begin := underWay.Spec.Sampler, underWay.Before()
	round := o.Round
	st := state{Total: o.Chains * (o.Config().Scans() - begin), Alert: strings.Join(damage, "; ")}
	drawn, warm := 0, len(reports) > 0
	for _, r := range reports {
		st.Done += min(max(r.Scans, begin), o.Config().Scans()) - begin
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
	default:
		st.State, st.Text, st.Resume = stopped, "Stopped: "+where+", "+draws, "aibd resume "+verdict.Quoted(run.Dir)
	}
	return st
}
