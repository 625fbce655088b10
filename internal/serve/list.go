package serve

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/visible"
	"aibd/internal/words"
)

// The search for runs goes down at most maxDepth directories, and looks at maxDirectories.
const (
	maxDepth       = 4
	maxDirectories = 20_000
)

// list holds the runs of a directory.
type list struct {
	server *Server

	mutex   sync.Mutex
	entries map[string]*entry // by name
	order   []string          // names: runs that are sampled first, then the newest
	cut     bool              // there are too many directories
	next    time.Time         // to look at the files again
}

// entry is a run in the list.
type entry struct {
	server *Server

	Name, Title, Spec string
	State             state
	Checks            string // R-hat and ESS so far; "" before there are any
	Settled           bool   // R-hat and ESS are as they must be

	mark     string // of the files, as they were read
	checked  string // the mark of Checks
	changed  time.Time
	run      *runs.Run // nil if run.json cannot be read
	reports  []runs.ChainReport
	underWay *runs.Run // round that the chains of the reports are in
	damage   []string
}

func newEntry(s *Server, name string) entry {
	title := visible.Text(name)
	if name == "." {
		title = s.dir()
	}
	return entry{server: s, Name: name, Title: title}
}

// look brings the list up to date. The caller holds the mutex.
func (l *list) look() {
	began := time.Now()
	if began.Before(l.next) {
		return
	}
	names, cut := findRuns(l.server.below.Root)
	l.cut = cut
	old := l.entries
	l.entries, l.order = map[string]*entry{}, names
	for _, name := range names {
		e := old[name]
		if e == nil {
			e = new(newEntry(l.server, name))
		}
		l.entries[name] = e
		e.read()
	}
	slices.SortStableFunc(l.order, func(a, b string) int {
		x, y := l.entries[a], l.entries[b]
		if busy := x.State.State == sampling || x.State.State == stopping; busy != (y.State.State == sampling || y.State.State == stopping) {
			if busy {
				return -1
			}
			return 1
		}
		return y.changed.Compare(x.changed)
	})
	l.check()
	l.next = time.Now().Add(max(2*l.server.o.Every, 5*time.Since(began)))
}

// findRuns returns the names of the directories that hold a run.json, below and including the
// root. It follows no symbolic links, and skips hidden directories. It reports whether it left
// out directories because there are too many.
func findRuns(root *os.Root) (names []string, cut bool) {
	files, seen := root.FS(), 0
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		if seen++; seen > maxDirectories {
			cut = true
			return
		}
		info, err := root.Lstat(filepath.Join(filepath.FromSlash(dir), "run.json"))
		isRun := err == nil && !info.IsDir()
		if isRun {
			names = append(names, dir)
		}
		if isRun || depth == maxDepth {
			return
		}
		entries, err := fs.ReadDir(files, dir)
		if err != nil {
			return // it was removed, or may not be read
		}
		for _, f := range entries {
			if f.IsDir() && !strings.HasPrefix(f.Name(), ".") {
				walk(path.Join(dir, f.Name()), depth+1)
			}
		}
	}
	walk(".", 0)
	return names, cut
}

// read brings an entry up to date. It reads only files that changed.
func (e *entry) read() {
	below := e.server.below
	mark, changed := e.stat()
	if e.changed = changed; e.mark == "" || e.mark != mark {
		run, err := runs.OpenBelow(below, filepath.FromSlash(e.Name))
		if e.run = run; err != nil {
			e.mark, e.State, e.Spec = mark, broken(err), ""
			return
		}
		e.mark, e.changed = e.stat() // there may be more chains now
		e.Spec = specLine(run)
		reports, damage := run.Reports()
		e.reports, e.damage, e.underWay = reports, nil, run.UnderWay(reports)
		if damage != "" {
			e.damage = []string{damage}
		}
	}
	if e.run != nil {
		e.State = e.server.stateOf(e.Name, e.run, e.underWay, e.reports, e.damage)
	}
}

// specLine returns the spec of a run in a line.
func specLine(run *runs.Run) string {
	s := run.Spec.Sampler
	return visible.Text(fmt.Sprintf("%s, %d x %d; %s; %s of %s, seed %d", run.Spec.Data.Source(), run.Data.N, run.Data.D,
		run.Spec.ModelName(), words.Plural(s.Chains, "chain"), words.Plural(s.Draws, "draw"), s.Seed))
}

// stat returns a text that changes when the files of an entry do, and the time of the last
// change.
func (e *entry) stat() (mark string, changed time.Time) {
	root, name := e.server.below.Root, filepath.FromSlash(e.Name)
	stat := func(file string) {
		if info, err := root.Stat(filepath.Join(name, file)); err == nil {
			mark += fmt.Sprintf("%s %d %d,", file, info.ModTime().UnixNano(), info.Size())
			if info.ModTime().After(changed) {
				changed = info.ModTime()
			}
		}
	}
	stat("run.json")
	if e.run != nil {
		for c := range e.run.Spec.Sampler.Chains {
			stat(filepath.Join(model.ChainName(c), "chain.json"))
			stat(filepath.Join(model.ChainName(c), "checkpoint.json")) // written after chain.json; changes with the round
		}
	}
	return mark, changed
}

// check computes R-hat and ESS of the runs whose files changed, those at the top of the list
// first, as far as it comes in a short time.
func (l *list) check() {
	began := time.Now()
	for _, name := range l.order {
		e := l.entries[name]
		if e.run == nil || e.checked == e.mark {
			continue
		}
		if time.Since(began) > 300*time.Millisecond {
			return
		}
		e.checked, e.Checks, e.Settled = e.mark, "", false
		run, err := runs.OpenBelow(l.server.below, filepath.FromSlash(name)) // reading draws may change it
		if err != nil {
			continue
		}
		if j, err := results.Glance(run.UnderWay(e.reports)); err == nil {
			e.Checks, e.Settled = soFar(j.Verdict)
		}
	}
}
