// Package reproduce makes the tables and figures of the paper: one file an exhibit,
// numbers as CSV, pictures as SVG and PNG, and a page that sets each beside the values
// that the paper prints.
//
// "The paper" is Warr, Dahl, Meyer and Lui, The Attraction Indian Buffet Distribution
// (Bayesian Analysis). What it prints and is not known here is shown without a
// comparison.
package reproduce

import (
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

	"aibd/internal/files"
	"aibd/internal/hint"
	"aibd/internal/parallel"
	"aibd/mcmc"
)

// Exhibit is a table or a figure of the paper, or what belongs beside one.
type Exhibit struct {
	Name  string // on the command line, and of its files
	Title string
	Needs Needs
	make  func(*job) error
}

// Needs says which files an exhibit cannot do without.
type Needs struct {
	Alzheimers bool // the data of the application
	People     bool // which of its rows may be of one person
}

// All returns the exhibits in the order of the page.
func All() []Exhibit {
	return []Exhibit{
		states, features, sharing, temperature, laws, quartiles, allocations, scatter,
		properties, accuracy, application, applicationYears, posteriors, people, scaling,
	}
}

// Named returns the exhibits of the given names, in the order of the page.
func Named(names []string) ([]Exhibit, error) {
	var known []string
	for _, e := range All() {
		known = append(known, e.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, hint.Unknown("exhibit", name, known)
		}
	}
	return slices.DeleteFunc(All(), func(e Exhibit) bool { return !slices.Contains(names, e.Name) }), nil
}

// Options says how exhibits are made.
type Options struct {
	Dir        string // where everything is written; it is made if need be
	Version    string // of the program
	Quick      bool   // with small sizes, to see that all works
	Again      bool   // also those that are there
	Seed       uint64
	Cores      int // 0 uses all; the results do not depend on it
	Alzheimers string
	People     string
	Meter      Meter
	Log        io.Writer // a line for each exhibit
}

// Meter shows how far something is that takes time.
type Meter interface {
	// Start shows done() of all, from its value now on, until the function that it
	// returns is called. done may be called from another goroutine until then.
	Start(what string, all int, done func() int) (stop func())
}

// AlzheimersSource says where the data of the application are published.
const AlzheimersSource = "UCLA SOCR data page SOCR_Data_July2009_ID_NI, http://wiki.socr.umich.edu/index.php/SOCR_Data_July2009_ID_NI"

// Missing returns what an exhibit waits for, "" for nothing.
func (o Options) Missing(e Exhibit) string {
	switch {
	case e.Needs.Alzheimers && o.Alzheimers == "":
		return "the Alzheimer's file (--alzheimers), an extract of the " + AlzheimersSource
	case e.Needs.People && o.People == "":
		return "a file of inferred people (--people) with the columns id and inferred_person"
	}
	return ""
}

// Settings is what decides whether an exhibit that is there is made again.
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

// Make makes the exhibits that are not there with the same settings, or all of them
// with Again, and the page of all that are there. When ctx is done it returns
// ctx.Err(): what is complete stays, and the same call goes on.
func Make(ctx context.Context, o Options, exhibits []Exhibit) error {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return files.Named(o.Dir, err)
	}
	found := map[string][]shared{}
	for _, e := range exhibits {
		if missing := o.Missing(e); missing != "" {
			fmt.Fprintf(o.Log, "%s: waits for %s\n", e.Name, missing)
			continue
		}
		settings, err := o.settings(e)
		if err != nil {
			return err
		}
		if there, err := ReadResult(o.Dir, e.Name); err == nil && there.Settings == settings && !o.Again {
			fmt.Fprintf(o.Log, "%s: is there, %s\n", e.Name, there.took())
			continue
		}
		j := &job{ctx: ctx, Options: o, shared: found, result: Result{Name: e.Name, Title: e.Title, Settings: settings}}
		began := time.Now()
		err = e.make(j)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return err
			}
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		j.result.Seconds, j.result.Cores = time.Since(began).Seconds(), j.cores()
		if err := j.result.write(o.Dir); err != nil {
			return err
		}
		fmt.Fprintf(o.Log, "%s: made %s\n", e.Name, j.result.took())
	}
	return writePage(o)
}

// job is an exhibit being made.
type job struct {
	Options
	ctx    context.Context
	shared map[string][]shared // what other exhibits have found, see averagedSharing
	result Result
}

// size returns one of two sizes.
func (j *job) size(full, quick int) int {
	if j.Quick {
		return quick
	}
	return full
}

func (j *job) cores() int {
	if j.Cores > 0 {
		return j.Cores
	}
	return runtime.GOMAXPROCS(0)
}

// stream returns a stream of random numbers of the exhibit.
func (j *job) stream(label string) *mcmc.Stream {
	return mcmc.NewStream(j.Seed, j.result.Name+"/"+label)
}

// each does something for 0 to n-1 as parallel does, and shows how far it is.
func (j *job) each(what string, n int, do func(i int) error) error {
	tick, stop := j.count(what, n)
	defer stop()
	return j.parallel(n, func(i int) error {
		defer tick(1)
		return do(i)
	})
}

// count shows how many have been told to tick, of so many in all, until stop is called.
func (j *job) count(what string, all int) (tick func(n int), stop func()) {
	done := new(atomic.Int64)
	stop = j.Meter.Start(what, all, func() int { return int(done.Load()) })
	return func(n int) { done.Add(int64(n)) }, stop
}

// parallel does something for 0 to n-1, on all cores and in any order. It stops early
// when the context is done or something fails.
func (j *job) parallel(n int, do func(i int) error) error {
	return parallel.Each(j.ctx, j.cores(), n, do)
}

// path returns the name of a file of the exhibits.
func (j *job) path(name string) string { return filepath.Join(j.Dir, name) }
