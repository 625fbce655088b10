package cli

// Text tables, numbers and paragraphs.

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"aibd/internal/describe"
	"aibd/internal/model"
	"aibd/internal/visible"
	"aibd/internal/words"
)

// table is a text table. Its first row is the header.
type table [][]string

func (t *table) add(cells ...string) { *t = append(*t, cells) }

// write writes the table with its columns two blanks apart, the first aligned left and
// the others right. It escapes control characters in cells, and clips long
// cells.
func (t table) write(w io.Writer) {
	var widths []int
	shown := make(table, len(t))
	for i, row := range t {
		for j, cell := range row {
			cell = visible.Clipped(cell, maxCell)
			shown[i] = append(shown[i], cell)
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range shown {
		var b strings.Builder
		for j, cell := range row {
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell))
			if j == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// csv returns the table as CSV.
func (t table) csv() []byte {
	var b bytes.Buffer
	csv.NewWriter(&b).WriteAll(t) // a Buffer takes everything
	return b.Bytes()
}

var plural = words.Plural

// wrap breaks a paragraph into lines of at most width characters after the indent.
func wrap(paragraph, indent string, width int) string {
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(paragraph) {
		word = visible.Clipped(word, maxCell)
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
			b.WriteString(indent)
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	b.WriteByte('\n')
	return b.String()
}

// paragraphs writes each text in lines as wide as the terminal.
func paragraphs(w io.Writer, texts ...string) { labelled(w, "", texts...) }

// labelled writes each text in lines as wide as the terminal, after a label in the first line.
func labelled(w io.Writer, label string, texts ...string) {
	n := len(label)
	for _, text := range texts {
		fmt.Fprint(w, label, wrap(visible.Text(text), strings.Repeat(" ", n), lineWidth(w)-n)[n:])
	}
}

// writeLines writes a line for each name.
func writeLines(w io.Writer, lines describe.Lines) {
	for _, l := range lines {
		fmt.Fprintf(w, "%-10s%s\n", l.Label, visible.Clipped(l.Text, maxNote))
	}
}

// describeProblem writes what a run samples, and its directory.
func describeProblem(w io.Writer, p *model.Problem, dir string) {
	lines := describe.Problem(p)
	lines.Add("Run", dir)
	writeLines(w, lines)
}

// cell returns a number as a CSV cell, empty if NaN.
func cell[F ~float64](x F) string {
	if math.IsNaN(float64(x)) {
		return ""
	}
	return words.Exact(x)
}

// lineWidth returns the width of the terminal of w, or 90.
func lineWidth(w io.Writer) int {
	if c, ok := w.(*checkedWriter); ok {
		if f, ok := c.w.(*os.File); ok {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil {
				return width
			}
		}
	}
	return 90
}
