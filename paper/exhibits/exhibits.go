// Package exhibits makes the tables and figures of the paper: numbers as CSV,
// pictures as SVG and PNG, and a page that shows each next to the printed values. Each
// exhibit has a file of its own.
//
// "The paper" is Warr, Dahl, Meyer and Lui, The Attraction Indian Buffet Distribution
// (Bayesian Analysis). Values that the paper does not print are not compared.
package exhibits

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"aibd/dataset"
	"aibd/internal/files"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/mcmc"
)

// Exhibit is a table or a figure of the paper, or a companion of one.
type Exhibit struct {
	Name  string // on the command line and of its files
	Title string
	Needs Needs
	make  func(*job) error
}

// Needs says which input files an exhibit needs.
type Needs struct {
	Alzheimers bool // the data of the application
	People     bool // which rows may belong to one person
}

// All returns the exhibits in the order of the page.
func All() []Exhibit {
	return []Exhibit{
		{"states", "Similarity and proximity of five states", Needs{}, makeStates},
		{"features", "Number of features: AIBD equals IBP, dd-IBP does not", Needs{}, makeFeatures},
		{"sharing", "Expected sharing of five states", Needs{}, makeSharing},
		{"temperature", "Expected sharing of five states against temperature", Needs{}, makeTemperature},
		{"laws", "Expected sharing under AIBD and dd-IBP, 5 and 50 states", Needs{}, makeLaws},
		{"quartiles", "Number of features and quartiles of sharing, 50 states", Needs{}, makeQuartiles},
		{"allocations", "Draws of Z under four similarity functions", Needs{}, makeAllocations},
		{"scatter", "Distance against expected sharing, 50 states", Needs{}, makeScatter},
		{"properties", "Properties of the laws, computed", Needs{}, makeProperties},
		{"accuracy", "Accuracy of the update of Z: truncated and exact", Needs{}, makeAccuracy},
		{"application", "The application: 13 models of the Alzheimer’s data", Needs{Alzheimers: true}, func(j *job) error { return j.makeApplication(true) }},
		{"application-years", "The fixed temperatures per year of age", Needs{Alzheimers: true}, func(j *job) error { return j.makeApplication(false) }},
		{"posteriors", "The application: posterior of the AIBD with random temperature and order", Needs{Alzheimers: true}, makePosteriors},
		{"people", "The application with whole people held out", Needs{Alzheimers: true, People: true}, makePeople},
		{"distances", "The application: age and person, a temperature each", Needs{Alzheimers: true, People: true}, makeDistances},
		{"scaling", "Time of a scan for 31, 62 and 124 items", Needs{}, makeScaling},
	}
}

// kept is an exhibit without a maker. Its text says when and by which revision it was made. The page shows it
// last, if its numbers are there.
var kept = Exhibit{Name: "evidence", Title: "The application: log evidence of the laws, and what the distance stands for"}

// Named returns the exhibits with the given names, in the order of the page.
func Named(names []string) ([]Exhibit, error) {
	all := lists.Map(All(), func(e Exhibit) string { return e.Name })
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, hint.Unknown("exhibit", name, all)
		}
	}
	return slices.DeleteFunc(All(), func(e Exhibit) bool { return !slices.Contains(names, e.Name) }), nil
}

// Options says how exhibits are made.
type Options struct {
	Dir        string // for all output; created if missing
	Version    string // of the program
	Quick      bool   // small sizes, as a test
	Again      bool   // also exhibits that exist
	Seed       uint64
	Alzheimers string
	People     string
	Meter      Meter
	Log        io.Writer // a line for each exhibit
}

// Meter shows the progress of a long computation: done() out of all, until stop is called. It may call done
// from another goroutine until then.
type Meter func(what string, all int, done func() int) (stop func())

// Missing returns the input that an exhibit needs and o lacks, or "".
func (o Options) Missing(e Exhibit) string {
	switch {
	case e.Needs.Alzheimers && o.Alzheimers == "":
		return "the Alzheimer's file (--alzheimers), an extract of the " + dataset.AlzheimersSource
	case e.Needs.People && o.People == "":
		return "a file of inferred people (--people) with the columns id and inferred_person"
	}
	return ""
}

// Settings decides whether an existing exhibit is made again.
type Settings struct {
	Version string `json:"version"`
	Quick   bool   `json:"quick"`
	Seed    uint64 `json:"seed"`
	People  string `json:"people,omitempty"` // SHA-256 of the file
}

func (o Options) settings(e Exhibit) (Settings, error) {
	s := Settings{Version: o.Version, Quick: o.Quick, Seed: o.Seed}
	if e.Needs.People {
		content, err := os.ReadFile(o.People)
		if err != nil {
			return s, files.Named(o.People, err)
		}
		sum := sha256.Sum256(content)
		s.People = hex.EncodeToString(sum[:])
	}
	return s, nil
}

// Make makes the exhibits that do not exist with the same settings, or all of them
// with Again. It then writes the page. When ctx is done, Make returns ctx.Err() and
// keeps complete exhibits; the same call continues.
func Make(ctx context.Context, o Options, exhibits []Exhibit) error {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return files.Named(o.Dir, err)
	}
	sharing := map[string][]shared{}
	for _, e := range exhibits {
		if missing := o.Missing(e); missing != "" {
			fmt.Fprintf(o.Log, "%s: skipped: needs %s\n", e.Name, missing)
			continue
		}
		settings, err := o.settings(e)
		if err != nil {
			return err
		}
		if result, err := ReadResult(o.Dir, e.Name); err == nil && result.Settings == settings && !o.Again {
			fmt.Fprintf(o.Log, "%s: up to date, %s\n", e.Name, result.Took())
			continue
		}
		j := &job{ctx: ctx, Options: o, shared: sharing, result: Result{Name: e.Name, Title: e.Title, Settings: settings}}
		began := time.Now()
		if err = e.make(j); err == nil {
			err = cmp.Or(j.result.writeParts(ctx, o.Dir), ctx.Err())
		}
		if err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return err
			}
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		j.result.Seconds, j.result.Cores = time.Since(began).Seconds(), runtime.GOMAXPROCS(0)
		if err := j.result.write(o.Dir); err != nil {
			return err
		}
		fmt.Fprintf(o.Log, "%s: made %s\n", e.Name, j.result.Took())
	}
	return writePage(o)
}

// Prepare makes the runs of the exhibits, without draws, and returns their directories. Other
// processes can sample their chains before Make reads them.
func Prepare(o Options, exhibits []Exhibit) (dirs []string, err error) {
	for _, e := range exhibits {
		j := &job{Options: o, result: Result{Name: e.Name}}
		if o.Missing(e) != "" {
			continue
		}
		for _, m := range modelsOf(e.Name) {
			run, err := j.prepare(m)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(dirs, run.Dir) {
				dirs = append(dirs, run.Dir)
			}
		}
	}
	return dirs, nil
}

// job is an exhibit in the making.
type job struct {
	Options
	ctx    context.Context
	shared map[string][]shared // results of other exhibits, see averagedSharing
	result Result
}

// size returns the size for full or quick exhibits.
func (j *job) size(full, quick int) int {
	if j.Quick {
		return quick
	}
	return full
}

// stream returns a random stream of the exhibit.
func (j *job) stream(label string) *mcmc.Stream {
	return mcmc.NewStream(j.Seed, j.result.Name+"/"+label)
}

// each calls do for 0 to n-1 as parallel does, and shows progress.
func (j *job) each(what string, n int, do func(i int) error) error {
	tick, stop := j.count(what, n)
	defer stop()
	return j.parallel(n, func(i int) error {
		defer tick(1)
		return do(i)
	})
}

// count shows the sum of the calls of tick, out of all, until stop is called.
func (j *job) count(what string, all int) (tick func(n int), stop func()) {
	done := new(atomic.Int64)
	stop = j.Meter(what, all, func() int { return int(done.Load()) })
	return func(n int) { done.Add(int64(n)) }, stop
}

// parallel calls do for 0 to n-1, on all cores and in any order. It stops early when
// the context is done or a call fails.
func (j *job) parallel(n int, do func(i int) error) error {
	return parallel.Each(j.ctx, n, do)
}

// path returns the path of a file of the exhibits.
func (j *job) path(name string) string { return filepath.Join(j.Dir, name) }
