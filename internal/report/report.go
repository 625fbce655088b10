// Package report writes a report of runs as one HTML file. The file has its style and its
// pictures inside, needs no network and runs no script.
package report

import (
	g "maragu.dev/gomponents"

	"aibd/internal/verdict"
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
	// node returns the block as HTML. Headings in it have the given level.
	node(level int) g.Node
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
