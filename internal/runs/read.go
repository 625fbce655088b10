package runs

// Reading the draws back, of runs that are complete or not.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aibd/draws"
	"aibd/draws/segment"
	"aibd/internal/files"
	"aibd/internal/input"
	"aibd/internal/lists"
	"aibd/internal/model"
)

// Draws returns the draws of a chain, numbered from zero, in order. Callers may keep
// them. The first error ends the sequence.
func (r *Run) Draws(chain int) iter.Seq2[*draws.Draw, error] {
	return func(yield func(*draws.Draw, error) bool) {
		for reader, err := range r.segments(chain) {
			if err != nil {
				yield(nil, err)
				return
			}
			for d, err := range reader.Draws() {
				if !yield(d, err) || err != nil {
					return
				}
			}
		}
	}
}

// segments returns the segments of one chain up to the first that is missing.
func (r *Run) segments(chain int) iter.Seq2[*segment.Reader, error] {
	return func(yield func(*segment.Reader, error) bool) {
		for number := 0; ; number++ {
			reader, err := r.openSegment(chain, number)
			if errors.Is(err, fs.ErrNotExist) || !yield(reader, err) || err != nil {
				return
			}
		}
	}
}

// openSegment reads a segment of a chain; both numbers are from zero. An error about a
// file that is not whole, or is another segment, is a damagedError.
func (r *Run) openSegment(chain, number int) (*segment.Reader, error) {
	name := r.segmentPath(chain, number)
	reader, err := r.readSegment(name, chain, number)
	if err == nil || r.Begun() {
		return reader, err
	}
	// The round may have become complete just now.
	if reader, err := r.readSegment(filepath.Join(r.chainDir(chain), begunName(number)), chain, number); err == nil {
		return reader, nil
	}
	return r.readSegment(name, chain, number)
}

// readSegment reads a segment from a file, see openSegment.
func (r *Run) readSegment(name string, chain, number int) (*segment.Reader, error) {
	f, size, err := files.OpenRegular(r.source, name, maxSegment)
	if err != nil {
		return nil, damagedIf(err)
	}
	defer f.Close()
	reader, err := segment.NewReader(f, size, name)
	if err != nil {
		return nil, damagedError{err}
	}
	switch header, want := reader.Header(), r.header(chain, number); {
	case header.Run != want.Run || header.N != want.N || header.Cutpoints != want.Cutpoints || header.NoiseScales != want.NoiseScales || header.FurtherTemperatures != want.FurtherTemperatures || header.Weights != want.Weights || header.Shares != want.Shares:
		return nil, damagedError{fmt.Errorf("%s: found a segment of run %.8s, expected one of %.8s", name, header.Run, want.Run)}
	case header.Chain != chain || header.Segment != number:
		return nil, damagedError{fmt.Errorf("%s: found segment %d of chain %d, expected segment %d of chain %d", name, header.Segment+1, header.Chain+1, number+1, chain+1)}
	case header.DrawsPerChain > want.DrawsPerChain: // a run that was made longer may have segments from before
		return nil, fmt.Errorf("%s: found a segment of %d draws per chain, expected at most %d as in %s", name, header.DrawsPerChain, want.DrawsPerChain, recordFile)
	}
	return reader, nil
}

// Trace holds the scalars of the draws of one chain, in order.
type Trace struct {
	Chain     int                  // from zero
	Iteration []int                // among the kept scans, from zero
	Values    map[string][]float64 // by the key of the scalar, see draws.Scalar; nil for one that the draws do not have
}

// Len returns the number of draws.
func (t Trace) Len() int { return len(t.Iteration) }

// Scalars returns the scalars of the draws by chain, in traces of equal length. If the run
// is not complete, it drops chains and draws such that most draws remain. The note says
// in one line what was dropped, and that run.json was edited; otherwise it is empty. A run
// without draws is an error. If another process has completed a further round since the run
// was opened, or made it longer, r becomes that round.
func (r *Run) Scalars() (traces []Trace, note string, err error) {
	traces, _, note, err = r.whole(false)
	return traces, note, err
}

// whole returns the traces of Scalars and, if kept is set, the draws of Kept.
func (r *Run) whole(kept bool) (traces []Trace, chains [][]*draws.Draw, note string, err error) {
	for {
		traces, chains, note, err = r.part(kept)
		if err == nil && note == "" || r.Begun() || !r.replaced() {
			return traces, chains, note, err
		}
	}
}

// part returns what whole returns, of one reading.
func (r *Run) part(kept bool) (traces []Trace, chains [][]*draws.Draw, note string, err error) {
	var lengths, gaps []string
	all, allDraws := make([]Trace, r.Spec.Sampler.Chains), make([][]*draws.Draw, r.Spec.Sampler.Chains)
	planned := r.Spec.Sampler.Draws
	complete := true
	for c := range all {
		var into *[]*draws.Draw
		if kept {
			into = &allDraws[c]
		}
		gap, err := r.trace(c, &all[c], into)
		if err != nil {
			return nil, nil, "", err
		}
		if gap != "" {
			gaps = append(gaps, gap+"; draws from there on are not used")
		}
		n := all[c].Len()
		lengths = append(lengths, strconv.Itoa(n))
		complete = complete && n == planned
	}
	if complete {
		if r.edited != nil {
			note = r.edited.Error()
		}
		return all, allDraws, note, nil
	}
	if r.edited != nil {
		gaps = append(gaps, r.edited.Error())
	}
	length := common(all)
	if length == 0 {
		return nil, nil, "", fmt.Errorf("%s", strings.Join(append([]string{r.Dir + ": found no draws"}, gaps...), "; "))
	}
	var used []string
	for _, t := range all {
		if t.Len() >= length {
			traces, chains = append(traces, t.cut(length)), append(chains, allDraws[t.Chain][:min(length, len(allDraws[t.Chain]))])
			used = append(used, strconv.Itoa(t.Chain+1))
		}
	}
	note = fmt.Sprintf("the run is not complete: the chains have %s of %d draws; the first %d of chain %s are used",
		strings.Join(lengths, ", "), planned, length, strings.Join(used, ", "))
	return traces, chains, strings.Join(append([]string{note}, gaps...), "; "), nil
}

// Kept returns the traces of Scalars with their draws, chains[c][t] that of traces[c] at t, and the
// note of Scalars. Both are of the same reading, also while the run is sampled.
func (r *Run) Kept() (traces []Trace, chains [][]*draws.Draw, note string, err error) {
	return r.whole(true)
}

// trace reads the scalars of a chain up to the first file that is missing or damaged. The
// gap names that file if draws follow it. The draws are appended to kept unless that is nil.
func (r *Run) trace(chain int, t *Trace, kept *[]*draws.Draw) (gap string, err error) {
	t.Chain = chain
	next := 0 // segment
	for reader, err := range r.segments(chain) {
		var damaged damagedError
		if errors.As(err, &damaged) {
			return damaged.Error(), nil
		}
		if err != nil {
			return "", err
		}
		rows := reader.Rows()
		if kept != nil {
			rows = keeping(reader, kept)
		}
		if err := r.extend(t, rows); err != nil {
			return "", err
		}
		next++
	}
	for i, iteration := range t.Iteration {
		if iteration != i {
			return "", fmt.Errorf("%s: found draw %d at place %d, expected the draws in order from 1", r.chainDir(chain), iteration+1, i+1)
		}
	}
	entries, err := files.Names(r.source, r.chainDir(chain))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	segments, ending := 0, filepath.Ext(r.segmentPath(chain, 0))
	for _, name := range entries {
		if strings.HasPrefix(name, "draws-") && strings.HasSuffix(name, ending) {
			segments++
		}
	}
	if segments == next {
		return "", nil
	}
	return fmt.Sprintf("%s is missing", filepath.Join(r.chainDir(chain), segmentName(next))), nil
}

// keeping returns the rows of a segment, whose draws it appends to kept.
func keeping(reader *segment.Reader, kept *[]*draws.Draw) iter.Seq2[*draws.Row, error] {
	return func(yield func(*draws.Row, error) bool) {
		for d, err := range reader.Draws() {
			if err != nil {
				yield(nil, err)
				return
			}
			*kept = append(*kept, d)
			if row := draws.RowOf(d); !yield(&row, nil) {
				return
			}
		}
	}
}

// extend adds the rows of a segment to the trace of a chain.
func (r *Run) extend(t *Trace, rows iter.Seq2[*draws.Row, error]) error {
	if t.Values == nil {
		t.Values = map[string][]float64{}
	}
	var contents draws.Has
	scalars := contents.Scalars()
	for row, err := range rows {
		if err != nil {
			return err
		}
		if now := draws.HasOf(row.Draw); now != contents {
			contents, scalars = now, now.Scalars()
		}
		t.Iteration = append(t.Iteration, row.Iteration)
		for _, s := range scalars {
			t.Values[s.Key] = append(t.Values[s.Key], s.Value(row))
		}
	}
	for key, values := range t.Values {
		if len(values) != t.Len() {
			return fmt.Errorf("%s: found %s in %d of %d draws, expected it in each or none", r.chainDir(t.Chain), key, len(values), t.Len())
		}
	}
	return nil
}

// Warmup returns scalars of scans before the first draw, for each of the traces. Iteration has
// the scans, counted from one: every nth. A chain without a readable checkpoint has none, and the
// note says why, in one line.
func (r *Run) Warmup(traces []Trace) (before []Trace, note string) {
	before = make([]Trace, len(traces))
	var notes []string
	for c, t := range traces {
		before[c].Chain = t.Chain
		p, err := r.readCheckpoint(t.Chain)
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		h := p.State.History
		for n := 1; n <= h.Len() && n*h.Every <= r.Spec.Sampler.Warmup+r.Spec.Sampler.Skip; n++ {
			before[c].Iteration = append(before[c].Iteration, n*h.Every)
		}
		before[c].Values = h.Values
		before[c] = before[c].cut(before[c].Len())
	}
	return before, strings.Join(notes, "; ")
}

// common returns the length at which the traces of at least that length hold most draws.
func common(traces []Trace) int {
	lengths := lists.Map(traces, Trace.Len)
	slices.SortFunc(lengths, func(a, b int) int { return cmp.Compare(b, a) })
	best, count := 0, 0
	for i, length := range lengths {
		if (i+1)*length >= count {
			best, count = length, (i+1)*length
		}
	}
	return best
}

// cut returns the first n draws.
func (t Trace) cut(n int) Trace {
	t.Iteration, t.Values = t.Iteration[:n], maps.Clone(t.Values)
	for key, values := range t.Values {
		t.Values[key] = values[:n]
	}
	return t
}

// Input returns the input of the run.
func (r *Run) Input() *input.Run { return r.inputs.Run(r.Spec, r.Data.Sources, r.Data.IDs) }

// Inputs returns what reads the files of the spec of the run.
func (r *Run) Inputs() *input.Files { return r.inputs }

// Share makes the run read the files of its spec by f, which other runs share.
func (r *Run) Share(f *input.Files) { r.inputs = f }

// Problem returns what the spec of the run builds. An error names the file that is missing or has changed, and its SHA-256.
func (r *Run) Problem() (*model.Problem, error) {
	if r.problem != nil {
		return r.problem, nil
	}
	p, err := r.Input().Problem()
	if err != nil {
		return nil, fmt.Errorf("the data of %s: %w", r.Dir, err)
	}
	return p, nil
}

// Places returns the places of the items.
func (r *Run) Places() (*model.Places, error) { return r.Input().Places() }
