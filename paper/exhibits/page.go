package exhibits

// The page shows each exhibit next to the values that the paper prints.

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"slices"
	"strings"

	"aibd/internal/files"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"decimals": func(x float64, n int) string { return fixed(x, n).Text },
	"more":     func(n int) int { return n + 2 },
}).Parse(pageText))

// PageFile is the file name of the page.
const PageFile = "index.html"

// pageExhibit is an exhibit on the page; Result is nil if it has not been made.
type pageExhibit struct {
	Exhibit Exhibit
	*Result
	Missing string // input that the exhibit lacks
}

// Numbers returns the tables that are too long for the page.
func (p pageExhibit) Numbers() []Table {
	return slices.DeleteFunc(slices.Clone(p.Tables), func(t Table) bool { return len(t.Rows) > 0 })
}

// Sampled reports whether a compared value has a standard error.
func (p pageExhibit) Sampled() bool {
	return slices.ContainsFunc(p.Compared, func(c Compared) bool { return c.StdErr > 0 })
}

// Agree reports whether chains that agree have a compared value.
func (p pageExhibit) Agree() bool {
	return slices.ContainsFunc(p.Compared, func(c Compared) bool { return c.Agreed != 0 })
}

// writePage writes the page of all exhibits that have been made.
func writePage(o Options) error {
	var exhibits []pageExhibit
	made, seconds, quick := 0, 0.0, 0
	var versions []string
	for _, e := range append(All(), kept) {
		p := pageExhibit{Exhibit: e, Missing: o.Missing(e)}
		r, err := ReadResult(o.Dir, e.Name)
		switch {
		case err == nil:
			p.Result = r
			made++
			seconds += r.Seconds
			versions = append(versions, r.Settings.Version)
			if r.Settings.Quick {
				quick++
			}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case e.make == nil:
			continue
		}
		exhibits = append(exhibits, p)
	}
	took := fmt.Sprintf("%.0f minutes", seconds/60)
	if seconds < 120 {
		took = fmt.Sprintf("%.0f seconds", seconds)
	}
	slices.Sort(versions)
	summary := fmt.Sprintf("%d of %d exhibits, made in %s by aibd %s", made, len(exhibits), took, strings.Join(slices.Compact(versions), " and "))
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, map[string]any{"Summary": summary, "Quick": quick, "Exhibits": exhibits}); err != nil {
		return err
	}
	return files.Write(context.Background(), o.Dir+"/"+PageFile, b.Bytes())
}
