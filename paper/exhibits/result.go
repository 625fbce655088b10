package exhibits

// The parts of an exhibit, and its files.

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/files"
	"aibd/internal/lists"
	"aibd/internal/words"
)

// Result is an exhibit that has been made.
type Result struct {
	Name     string     `json:"name"`
	Title    string     `json:"title"`
	Settings Settings   `json:"settings"`
	Seconds  float64    `json:"seconds"`
	Cores    int        `json:"cores"`
	About    string     `json:"about"`    // what is shown, and under which settings
	Findings []string   `json:"findings"` // what agrees with the paper, what does not, and why
	Compared []Compared `json:"compared"`
	Tables   []Table    `json:"tables"`
	Figures  []Figure   `json:"figures"`
}

// Compared is a printed value of the paper and the value found here.
type Compared struct {
	What     string  `json:"what"`
	Printed  float64 `json:"printed"`
	Decimals int     `json:"decimals"` // printed
	Found    float64 `json:"found"`
	StdErr   float64 `json:"std_err"` // of Monte Carlo; 0: exact, or not estimated

	// The same of longer chains that agree, with its standard error; 0: none.
	Agreed    float64 `json:"agreed,omitempty"`
	AgreedErr float64 `json:"agreed_err,omitempty"`
}

// Difference returns the value found minus the printed value.
func (c Compared) Difference() float64 { return c.Found - c.Printed }

// Errors returns the part of the difference that rounding does not explain, in standard errors.
func (c Compared) Errors() float64 {
	beyond := max(0, math.Abs(c.Difference())-0.5*math.Pow10(-c.Decimals))
	return math.Copysign(beyond, c.Difference()) / c.StdErr
}

// agrees reports whether rounding alone explains the difference.
func (c Compared) agrees() bool {
	return math.Abs(c.Difference()) <= 0.5*math.Pow10(-c.Decimals)*(1+1e-9)
}

// Verdict says in a word or two how the values compare.
func (c Compared) Verdict() string {
	switch excess := math.Abs(c.Difference()) - 0.5*math.Pow10(-c.Decimals); {
	case c.agrees():
		return "same as printed"
	case excess <= 2*c.StdErr:
		return "within Monte Carlo error"
	}
	return "differs"
}

// agreeing counts the values that agree to the printed decimals.
func agreeing(all []Compared) int {
	n := 0
	for _, c := range all {
		if c.agrees() {
			n++
		}
	}
	return n
}

// Table is a table with a file of its own.
type Table struct {
	File    string   `json:"file"`
	Caption string   `json:"caption"`
	Header  []string `json:"header"`
	Rows    [][]Cell `json:"rows,omitempty"` // none: too long for the page
	all     [][]Cell // of the file
	digits  int      // of the numbers in the file; -1: all
}

// Cell is a text, or a number with the text that people read.
type Cell struct {
	Text  string   `json:"text"`
	Value *float64 `json:"value,omitempty"`
}

// Figure is a picture in two files, NAME.svg and NAME.png.
type Figure struct {
	Name    string `json:"name"`
	Caption string `json:"caption"`
	height  vg.Length
	paint   func(draw.Canvas)
}

func word(s string) Cell { return Cell{Text: s} }

func count(n int) Cell { return fixed(float64(n), 0) }

// fixed returns a number with some decimals, or a dash if it is not finite.
func fixed(x float64, decimals int) Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return word("–")
	}
	return Cell{words.Fixed(x, decimals), &x}
}

// allFixed returns numbers with some decimals.
func allFixed(all []float64, decimals int) []Cell {
	return lists.Map(all, func(x float64) Cell { return fixed(x, decimals) })
}

// dashes returns n cells without a value.
func dashes(n int) []Cell { return slices.Repeat([]Cell{word("–")}, n) }

// scientific returns a number of any size.
func scientific(x float64) Cell {
	if x == 0 {
		return Cell{"0", &x}
	}
	return Cell{strconv.FormatFloat(x, 'e', 1, 64), &x}
}

// table adds a table that the page shows.
func (j *job) table(file, caption string, header []string, rows [][]Cell) {
	j.result.Tables = append(j.result.Tables, Table{file + ".csv", caption, header, rows, rows, -1})
}

// numbers adds a table that is too long for the page; its file has seven digits.
func (j *job) numbers(file, caption string, header []string, rows [][]Cell) {
	j.result.Tables = append(j.result.Tables, Table{file + ".csv", caption, header, nil, rows, 7})
}

// csv returns the content of the file.
func (t Table) csv() ([]byte, error) {
	lines := [][]string{t.Header}
	for _, row := range t.all {
		line := make([]string, len(row))
		for i, c := range row {
			line[i] = strings.TrimPrefix(c.Text, "–")
			if c.Value != nil {
				line[i] = strconv.FormatFloat(*c.Value, 'g', t.digits, 64)
			}
		}
		lines = append(lines, line)
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(lines)
	return b.Bytes(), err
}

func (j *job) compare(what string, printed float64, decimals int, value, stdErr float64) {
	if math.IsNaN(stdErr) {
		stdErr = 0 // too few draws to estimate it
	}
	j.result.Compared = append(j.result.Compared, Compared{What: what, Printed: printed, Decimals: decimals, Found: value, StdErr: stdErr})
}

func (j *job) find(format string, args ...any) {
	j.result.Findings = append(j.result.Findings, fmt.Sprintf(format, args...))
}

// Took returns how long the exhibit took.
func (r *Result) Took() string {
	how := fmt.Sprintf("in %.1f s on %s", r.Seconds, words.Plural(r.Cores, "core"))
	if r.Seconds >= 120 {
		how = fmt.Sprintf("in %.0f min on %s", r.Seconds/60, words.Plural(r.Cores, "core"))
	}
	if r.Settings.Quick {
		how += ", quick"
	}
	return how
}

// writeParts writes the tables and figures.
func (r *Result) writeParts(ctx context.Context, dir string) error {
	dpi := 300
	if r.Settings.Quick {
		dpi = 75
	}
	write := func(name string, content []byte, err error) error {
		if err != nil {
			return err
		}
		return files.Write(ctx, filepath.Join(dir, name), content)
	}
	for _, t := range r.Tables {
		content, err := t.csv()
		if err := write(t.File, content, err); err != nil {
			return err
		}
	}
	for _, f := range r.Figures {
		for _, kind := range []string{"svg", "png"} {
			content, err := figure.Figure{Height: f.height, DPI: dpi, Paint: f.paint}.Encode(kind)
			if err := write(f.Name+"."+kind, content, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes NAME.json, the last of the files of an exhibit.
func (r *Result) write(dir string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	return files.Write(context.Background(), filepath.Join(dir, r.Name+".json"), b.Bytes())
}

// ReadResult reads an exhibit that has been made. If it has not, the error is an
// fs.ErrNotExist.
func ReadResult(dir, name string) (*Result, error) {
	path := filepath.Join(dir, name+".json")
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, files.Named(path, err)
	}
	r := &Result{}
	if err := json.Unmarshal(content, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
