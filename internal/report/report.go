// Package report writes a report of runs as one HTML file. The file has its style and its
// pictures inside, needs no network and runs no script.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/svg"

	"aibd/internal/verdict"
	"aibd/internal/visible"
)

// Page is a report. Text in it may have any characters: control characters are shown
// escaped.
type Page struct {
	Title    string
	Lead     []string // lines below the title
	Wide     bool     // there are several runs to show side by side
	Sections []Section
	Foot     []string // lines at the end
}

// Section is a part of a page with a heading.
type Section struct {
	ID    string // unique in the page
	Title string
	Panes []Pane // side by side where there is room
}

// Pane holds what one run says, or what all say together.
type Pane struct {
	Name   string // the heading, or "" for none
	Doubt  string // why not to rely on it, or ""
	Blocks []Block
}

// Block is a piece of a pane.
type Block interface {
	// template returns the name of the template that shows the block.
	template() string
}

type (
	// Text is a paragraph.
	Text string
	// Verdict is a sentence that says whether to rely on what follows.
	Verdict struct {
		Good bool
		Line string
	}
	// List is a list of sentences.
	List []string
	// Answer is a question with the sentences that answer it.
	Answer struct {
		Question string
		Blocks   []Block
	}
	// Facts are named sentences.
	Facts []Fact
	// Fact is a sentence with its name.
	Fact struct{ Name, Text string }
	// Commands are command lines in the order in which to try them.
	Commands []verdict.Command
	// Table is a table. Its first row and its first column are headers.
	Table struct {
		Caption string
		Legend  string // below the table; it may be empty
		Rows    [][]string
	}
	// Picture is a figure. Alt states what it shows.
	Picture struct {
		Caption, Alt string
		SVG          []byte // a document
	}
	// Card is one of several things of a kind.
	Card struct {
		Title  string
		Blocks []Block
	}
	// Cards are shown in a grid.
	Cards []Card
	// Details are shown on demand.
	Details struct {
		Summary string
		Blocks  []Block
	}
)

func (Text) template() string     { return "text" }
func (Verdict) template() string  { return "verdict" }
func (List) template() string     { return "list" }
func (Answer) template() string   { return "answer" }
func (Facts) template() string    { return "facts" }
func (Commands) template() string { return "commands" }
func (Table) template() string    { return "table" }
func (Picture) template() string  { return "picture" }
func (Cards) template() string    { return "cards" }
func (Details) template() string  { return "details" }

//go:embed page.html
var pageHTML string

//go:embed style.css
var style string

// pageTemplate makes pages.
var pageTemplate = func() *template.Template {
	t := template.New("page")
	// shown is a block with the level of the headings in it.
	type shown struct {
		Level int
		Block Block
	}
	return template.Must(t.Funcs(template.FuncMap{
		"style":   func() template.CSS { return template.CSS(style) },
		"visible": visible.Text,
		"heading": func(level int, text string) template.HTML {
			return template.HTML(fmt.Sprintf("<h%d>%s</h%[1]d>", level, template.HTMLEscapeString(visible.Text(text))))
		},
		"blocks": func(level int, blocks []Block) (template.HTML, error) {
			var b bytes.Buffer
			for _, block := range blocks {
				if err := t.ExecuteTemplate(&b, block.template(), shown{level, block}); err != nil {
					return "", err
				}
			}
			return template.HTML(b.String()), nil
		},
		// head and tail cut a sentence after its first colon.
		"head":  func(line string) string { return visible.Text(line[:colon(line)]) },
		"tail":  func(line string) string { return visible.Text(line[colon(line):]) },
		"wordy": func(cell string) bool { return len(cell) > 30 },
		"next":  func(level int) int { return level + 1 },
	}).Parse(pageHTML))
}()

// Padded returns the rows, all as long as the first.
func (t Table) Padded() [][]string {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = append(slices.Clone(row), make([]string, len(t.Rows[0])-len(row))...)
	}
	return rows
}

// colon returns the position of the first colon, or the length of the line.
func colon(line string) int {
	if i := strings.Index(line, ": "); i >= 0 {
		return i
	}
	return len(line)
}

// HTML returns the page.
func (p *Page) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, p)
	return b.Bytes(), err
}

// opening is the beginning of an SVG document. Its width and height are in points.
var opening = regexp.MustCompile(`(?s)^.*?<svg[^>]* viewBox="(0 0 ([0-9.]+) ([0-9.]+))"[^>]*>`)

// HTML returns the picture as an element with its text alternative. It is as wide as makes
// its text about as large as that of a table.
func (p Picture) HTML() (template.HTML, error) {
	var small bytes.Buffer
	if err := (&svg.Minifier{Precision: 5}).Minify(minify.New(), &small, bytes.NewReader(p.SVG), nil); err != nil {
		return "", fmt.Errorf("%s: %w", p.Caption, err)
	}
	found := opening.FindSubmatch(small.Bytes())
	if found == nil {
		return "", fmt.Errorf("%s: found an SVG without a viewBox", p.Caption)
	}
	wide, err := strconv.ParseFloat(string(found[2]), 64)
	if err != nil {
		return "", err
	}
	high, err := strconv.ParseFloat(string(found[3]), 64)
	class := "picture"
	if high > 1.5*wide {
		class += " tall" // may be cut in print
	}
	return template.HTML(fmt.Sprintf(`<div class="%s" style="--wide: %.1frem"><svg role="img" aria-label="%s" viewBox="%s">%s</div>`,
		class, wide/9, template.HTMLEscapeString(visible.Text(p.Alt)), found[1], small.Bytes()[len(found[0]):])), err
}
