// Package markup reads HTML for tests and checks what every page must have: one main part,
// headings in order, labels, and nothing from outside.
package markup

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Parse parses a page.
func Parse(t testing.TB, content []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// All returns the elements with the given name below a node, in order. It does not look into
// pictures.
func All(n *html.Node, name string) (all []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name && (d.Namespace == "" || name == "svg") {
			all = append(all, d)
		}
	}
	return all
}

// ByID returns the element with the given id, or nil.
func ByID(n *html.Node, id string) *html.Node {
	for d := range n.Descendants() {
		if value, ok := Attribute(d, "id"); ok && value == id {
			return d
		}
	}
	return nil
}

// Attribute returns the value of an attribute, and whether there is one.
func Attribute(n *html.Node, key string) (value string, ok bool) {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
	if i < 0 {
		return "", false
	}
	return n.Attr[i].Val, true
}

// Text returns the text below a node with single blanks, without that of SVG.
func Text(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
		for c := range n.ChildNodes() {
			if c.DataAtom != atom.Svg && c.DataAtom != atom.Style {
				walk(c)
			}
		}
	}
	walk(n)
	return strings.Join(strings.Fields(b.String()), " ")
}

// Rows returns the cells of the rows of a table.
func Rows(table *html.Node) (rows [][]string) {
	for _, tr := range All(table, "tr") {
		var row []string
		for c := range tr.ChildNodes() {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				row = append(row, Text(c))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Problems returns what a page lacks or must not have.
func Problems(root *html.Node) (problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, name := range []string{"title", "h1", "main", "header", "nav", "footer"} {
		if all := All(root, name); len(all) != 1 || name != "main" && Text(all[0]) == "" {
			report("found %d %s, expected one with text", len(all), name)
		}
	}
	if all := All(root, "html"); len(all) != 1 || all[0].Attr == nil {
		report("expected the language of the page")
	}
	ids, level := map[string]int{}, 0
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode || n.Type == html.CommentNode:
			if i := strings.IndexFunc(n.Data, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }); i >= 0 {
				report("found the control character %q in %.40q", n.Data[i:i+1], n.Data)
			}
		case n.Type == html.ElementNode:
			for _, a := range n.Attr {
				switch {
				case a.Key == "id":
					ids[a.Val]++
				case strings.HasPrefix(a.Key, "on"):
					report("found the attribute %s of %s, expected no script", a.Key, n.Data)
				case (a.Key == "src" || a.Key == "href") && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "data:"):
					report("found %s=%q, expected a place in the page", a.Key, a.Val)
				}
			}
			switch n.Data {
			case "script", "iframe", "object", "embed", "base", "form":
				report("found the element %s", n.Data)
			case "h1", "h2", "h3", "h4", "h5", "h6":
				now := int(n.Data[1] - '0')
				if now > level+1 {
					report("found the heading %q of level %d below level %d", Text(n), now, level)
				}
				if Text(n) == "" {
					report("found a heading without text")
				}
				level = now
			case "svg":
				role, _ := Attribute(n, "role")
				if label, _ := Attribute(n, "aria-label"); role != "img" || label == "" {
					report("found a picture without a text alternative")
				}
			case "img":
				if _, ok := Attribute(n, "alt"); !ok {
					report("found an image without a text alternative")
				}
			case "th":
				if _, ok := Attribute(n, "scope"); !ok {
					report("found the header cell %q without scope", Text(n))
				}
			case "table":
				if len(All(n, "caption")) != 1 {
					report("found a table without a caption: %.60q", Text(n))
				}
				if rows := Rows(n); slices.ContainsFunc(rows, func(row []string) bool { return len(row) != len(rows[0]) }) {
					report("found rows of different lengths in the table %q", Text(All(n, "caption")[0]))
				}
			}
			if _, ok := Attribute(n, "tabindex"); ok && n.Data != "main" {
				if label, _ := Attribute(n, "aria-label"); label == "" {
					report("found the focusable %s without a label", n.Data)
				}
			}
		}
	}
	for id, count := range ids {
		if count > 1 {
			report("found the id %s %d times", id, count)
		}
	}
	for _, a := range All(root, "a") {
		href, _ := Attribute(a, "href")
		if id, inside := strings.CutPrefix(href, "#"); inside && ids[id] != 1 {
			report("found a link to %s, expected an element of that id", href)
		}
	}
	slices.Sort(problems)
	return problems
}
