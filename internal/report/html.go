package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"aibd/internal/visible"
)

//go:embed style.css
var style string

// text returns text with its control characters escaped.
func text(s string) g.Node { return g.Text(visible.Text(s)) }

// heading returns a heading of a level.
func heading(level int, s string) g.Node { return g.El("h"+strconv.Itoa(level), text(s)) }

// lines returns each line as an element.
func lines(element func(...g.Node) g.Node, all []string) g.Node {
	return g.Map(all, func(s string) g.Node { return element(text(s)) })
}

// nodes returns blocks.
func nodes(level int, blocks []Block) g.Node {
	return g.Map(blocks, func(b Block) g.Node { return b.node(level) })
}

// HTML returns the page.
func (p *Page) HTML() ([]byte, error) {
	var b bytes.Buffer
	err := h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content("default-src 'none'; style-src 'unsafe-inline'; img-src data:")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(text(p.Title)),
			h.Link(h.Rel("icon"), h.Href("data:,")),
			h.StyleEl(g.Raw(style)),
		),
		h.Body(g.If(p.Wide, h.Class("wide")),
			h.A(h.Class("skip"), h.Href("#main"), g.Text("Skip to the answer")),
			h.Header(h.H1(text(p.Title)), lines(h.P, p.Lead)),
			h.Nav(h.Aria("label", "Contents"), h.Ul(g.Map(p.Sections, func(s Section) g.Node { return h.Li(h.A(h.Href("#"+s.ID), text(s.Title))) }))),
			h.Main(h.ID("main"), h.TabIndex("-1"), g.Map(p.Sections, Section.node)),
			h.Footer(lines(h.P, p.Foot)),
		),
	)).Render(&b)
	return b.Bytes(), err
}

func (s Section) node() g.Node {
	var panes g.Node = g.Map(s.Panes, Pane.node)
	if len(s.Panes) > 1 {
		panes = h.Div(h.Class("panes"), panes)
	}
	return h.Section(h.ID(s.ID), h.Aria("labelledby", s.ID+"-title"), h.H2(h.ID(s.ID+"-title"), text(s.Title)), panes)
}

func (p Pane) node() g.Node {
	level := 3
	if p.Name != "" {
		level = 4
	}
	return h.Div(h.Class("pane"),
		g.Iff(p.Name != "", func() g.Node { return heading(3, p.Name) }),
		g.Iff(p.Doubt != "", func() g.Node {
			return h.P(h.Class("verdict bad"), h.Strong(g.Text("Caution:")), text(" "+p.Doubt+". "), h.A(h.Href("#answer"), g.Text("See the answer")))
		}),
		nodes(level, p.Blocks),
	)
}

func (t Text) node(int) g.Node { return h.P(text(string(t))) }

func (v Verdict) node(int) g.Node {
	kind, colon := "verdict bad", strings.Index(v.Line+": ", ": ")
	if v.Good {
		kind = "verdict good"
	}
	return h.P(h.Class(kind), h.Strong(text(v.Line[:colon])), text(v.Line[colon:]))
}

func (l List) node(int) g.Node {
	switch len(l) {
	case 0:
		return nil
	case 1:
		return h.P(text(l[0]))
	}
	return h.Ul(h.Class("sentences"), lines(h.Li, l))
}

func (a Answer) node(level int) g.Node {
	return g.Group{heading(level, a.Question), nodes(level+1, a.Blocks)}
}

func (f Facts) node(int) g.Node {
	return h.Dl(g.Map(f, func(f Fact) g.Node { return g.Group{h.Dt(text(f.Name)), h.Dd(text(f.Text))} }))
}

func (c Commands) node(int) g.Node {
	var all g.Group
	for _, command := range c {
		all = append(all, h.Li(h.Code(text(command.Line)), g.Text(" "), h.Span(text(command.Why))))
	}
	return h.Ol(h.Class("commands"), all)
}

// scroll returns a region that may be wider than the page.
func scroll(label string, content g.Node) g.Node {
	return h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("group"), h.Aria("label", visible.Text(label)), content)
}

func (t Table) node(int) g.Node {
	head := g.Map(t.Rows[0], func(s string) g.Node { return h.Th(h.Scope("col"), text(s)) })
	var body g.Group
	for _, cells := range t.Rows[1:] {
		row := g.Group{h.Th(h.Scope("row"), text(cells[0]))}
		for _, cell := range cells[1:] {
			row = append(row, h.Td(g.If(len(cell) > 30, h.Class("words")), text(cell)))
		}
		for range len(t.Rows[0]) - len(cells) {
			row = append(row, h.Td())
		}
		body = append(body, h.Tr(row))
	}
	return g.Group{
		scroll(t.Caption, h.Table(h.Caption(text(t.Caption)), h.THead(h.Tr(head)), h.TBody(body))),
		g.If(t.Legend != "", h.P(h.Class("legend"), text(t.Legend))),
	}
}

func (p Picture) node(int) g.Node {
	return h.Figure(scroll(p.Caption, g.NodeFunc(p.write)), h.FigCaption(text(p.Caption)))
}

func (c Cards) node(level int) g.Node {
	return h.Div(h.Class("cards"), g.Map(c, func(c Card) g.Node { return h.Article(heading(level, c.Title), nodes(level+1, c.Blocks)) }))
}

func (d Details) node(level int) g.Node {
	return h.Details(h.Summary(text(d.Summary)), nodes(level, d.Blocks))
}

// opening is the beginning of an SVG document. Its width and height are in points.
var opening = regexp.MustCompile(`(?s)^.*?<svg[^>]* viewBox="(0 0 ([0-9.]+) ([0-9.]+))"[^>]*>`)

// write writes the picture as an element with its text alternative. It is as wide as makes
// its text about as large as that of a table.
func (p Picture) write(w io.Writer) error {
	match := opening.FindSubmatch(p.SVG)
	if match == nil {
		return fmt.Errorf("%s: found an SVG without a viewBox", p.Caption)
	}
	wide, err := strconv.ParseFloat(string(match[2]), 64)
	if err != nil {
		return err
	}
	high, err := strconv.ParseFloat(string(match[3]), 64)
	if err != nil {
		return err
	}
	class := "picture"
	if high > 1.5*wide {
		class += " tall" // may be cut in print
	}
	return h.Div(h.Class(class), h.Style(fmt.Sprintf("--wide: %.1frem", wide/9)),
		g.El("svg", h.Role("img"), h.Aria("label", visible.Text(p.Alt)), g.Attr("viewBox", string(match[1])),
			g.Raw(strings.TrimSuffix(strings.TrimSpace(string(p.SVG[len(match[0]):])), "</svg>")))).Render(w)
}
