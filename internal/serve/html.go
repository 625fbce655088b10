package serve

import (
	"net/url"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"aibd/internal/verdict"
	"aibd/internal/visible"
)

// text returns text with its control characters escaped.
func text(s string) g.Node { return g.Text(visible.Text(s)) }

// part returns HTML as text, for a message to a page.
func part(n g.Node) string {
	var b strings.Builder
	if err := n.Render(&b); err != nil {
		panic(err) // of the memory
	}
	return b.String()
}

// page returns a page with what its head has beside the usual.
func page(title string, head g.Group, body ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.Link(h.Rel("icon"), h.Href("/static/icon.svg"), h.Type("image/svg+xml")),
			h.Link(h.Rel("stylesheet"), h.Href("/static/style.css")),
			h.TitleEl(g.Text(title+" – aibd")),
			head,
		),
		h.Body(body...),
	))
}

func script(name string) g.Node { return h.Script(h.Src("/static/"+name), h.Defer()) }

// soft returns less important words.
func soft(of func(...g.Node) g.Node, content ...g.Node) g.Node {
	return of(h.Class("soft"), g.Group(content))
}

// alert returns a paragraph that warns, or nothing.
func alert(s string) g.Node { return g.If(s != "", h.P(h.Class("alert"), text(s))) }

var noScript = h.NoScript(alert("This page needs JavaScript."))

// status returns an empty element for messages of a script.
func status(of func(...g.Node) g.Node, id string) g.Node { return of(h.ID(id), h.Role("status")) }

// hidden returns an empty element that a script shows.
func hidden(of func(...g.Node) g.Node, id string, content ...g.Node) g.Node {
	return of(h.ID(id), g.Attr("hidden"), g.Group(content))
}

// listOf returns the page of the list of a directory.
func listOf(dir string) g.Node {
	heads := g.Map([]string{"Run", "State", "Progress", "So far"}, func(s string) g.Node { return h.Th(h.Scope("col"), g.Text(s)) })
	return page("Runs in "+dir, g.Group{script("list.js")},
		h.Header(
			h.H1(g.Text("Runs")),
			soft(h.P, g.Text("of aibd in "+dir+" and up to "+strconv.Itoa(maxDepth)+" directories below it. "), status(h.Span, "connection")),
		),
		h.Main(
			noScript,
			h.P(h.Label(h.For("filter"), g.Text("Show runs with the text")), g.Text(" "), h.Input(h.ID("filter"), h.Type("search"), h.AutoComplete("off"))),
			hidden(h.P, "empty", g.Text("No runs yet: "), h.Code(g.Text("aibd fit")), g.Text(" makes one, and it appears here.")),
			hidden(h.P, "cut", h.Class("alert"), g.Text("There are too many directories: some were not searched.")),
			hidden(h.Table, "runs", h.Class("runs"), h.THead(h.Tr(heads)), h.TBody()),
		),
	)
}

// node returns the cells of a run in the list.
func (e *entry) node() g.Node {
	return g.Group{
		h.Th(h.Scope("row"), h.A(h.Href(address(e.Name)), g.Text(e.Title)), g.If(e.Spec != "", soft(h.Span, g.Text(e.Spec)))),
		h.Td(h.Span(h.Class("badge "+e.State.State), g.Text(e.State.State))),
		h.Td(
			g.If(e.State.Total > 0, h.Progress(h.Max(strconv.Itoa(e.State.Total)), h.Value(strconv.Itoa(e.State.Done)), h.Aria("label", "scans"))),
			soft(h.Span, g.Text(e.State.Text)),
			g.If(e.State.Alert != "", h.Span(h.Class("alert"), text(e.State.Alert))),
		),
		h.Td(g.If(e.Checks != "", h.Span(g.If(!e.Settled, h.Class("bad")), g.Text(e.Checks)))),
	}
}

// failedPage returns the page of a run that cannot be read.
func failedPage(name, title, why string) g.Node {
	return pageOf(name, title, "", nil, h.P(h.Class("alert"), h.Role("alert"), text(why)))
}

// pageOf returns the page of a run with its main part.
func pageOf(name, title, spec string, head g.Group, content ...g.Node) g.Node {
	return page(title, head,
		h.Data("run", name),
		h.Header(
			g.If(name != ".", h.Nav(h.A(h.Href("/"), g.Text("All runs")))),
			h.H1(g.Text(title)),
			soft(h.P, g.Text(spec)),
		),
		h.Main(content...),
	)
}

// runOf returns the page of a run.
func runOf(name, title, spec string) g.Node {
	section := func(id, title string, content ...g.Node) g.Node {
		return h.Section(h.Aria("labelledby", id), h.H2(h.ID(id), g.Text(title)), g.Group(content))
	}
	plots := func(ids ...string) g.Node {
		return h.Div(h.Class("plots"), g.Map(ids, func(id string) g.Node { return h.Figure(h.ID(id)) }))
	}
	button := func(id, name string) g.Node { return hidden(h.Button, id, h.Type("button"), g.Text(name)) }
	return pageOf(name, title, spec, g.Group{h.Link(h.Rel("stylesheet"), h.Href("/static/uPlot.min.css")), script("uPlot.iife.min.js"), script("run.js")},
		noScript,
		h.Section(h.Aria("label", "State"), h.Class("panel"),
			h.P(h.Span(h.ID("badge"), h.Class("badge")), g.Text(" "), status(h.Span, "text")),
			h.Progress(h.ID("progress"), h.Max("1"), h.Value("0"), h.Aria("label", "scans of this round")),
			h.P(h.Class("buttons"), button("stop", "Stop"), g.Text(" "), button("resume", "Resume")),
			hidden(h.P, "alert", h.Class("alert"), h.Role("alert")),
			h.P(h.ID("connection"), h.Class("soft"), h.Role("status")),
		),
		h.Section(h.ID("waiting"), h.P(g.Text("There are no draws yet. The plots begin after warmup, when the chains are saved for the first time."))),
		hidden(h.Div, "draws",
			hidden(h.Section, "found", h.Aria("labelledby", "found-title"), h.H2(h.ID("found-title"), g.Text("What was found")), h.Div()),
			section("agree", "Do the chains agree?",
				h.P(h.ID("line")),
				soft(h.P, h.ID("follows"), g.Text("The verdict on pairs of items and fitted values follows when sampling stops.")),
				plots("rhat", "ess"),
				h.Div(h.ID("checks"), h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "Quantities")),
			),
			section("number", "Number of features", plots("counts")),
			section("trace", "Traces", h.FieldSet(h.ID("chains"), h.Legend(g.Text("Chains"))), h.Div(h.ID("traces"), h.Class("plots"))),
		),
	)
}

// checksOf returns the table of the checks.
func checksOf(rows []row) g.Node {
	heads := g.Map([]string{"Quantity", "median", "5%", "95%", "R-hat", "ESS"}, func(s string) g.Node { return h.Th(h.Scope("col"), g.Text(s)) })
	cell := func(s string, bad bool) g.Node { return h.Td(g.If(bad, h.Class("bad")), g.Text(s)) }
	return h.Table(
		h.Caption(g.Text("All draws so far, of all chains. R-hat must be at most 1.01, ESS at least 400.")),
		h.THead(h.Tr(heads)),
		h.TBody(g.Map(rows, func(r row) g.Node {
			return h.Tr(h.Th(h.Scope("row"), g.Text(r.Name)), cell(r.Q50, false), cell(r.Q5, false), cell(r.Q95, false), cell(r.RHat, r.Apart), cell(r.ESS, r.Few))
		})),
	)
}

// node returns what was found in a run.
func (f *found) node(name string) g.Node {
	of, all := f.of, g.Group{alert(f.err)}
	if of == nil {
		return all
	}
	class := "verdict bad"
	if of.Agreed {
		class = "verdict good"
	}
	all = append(all, h.Div(h.Class(class), g.Map(of.Verdict, func(s string) g.Node { return h.P(text(s)) })), alert(of.Note))
	if len(of.Commands) > 0 {
		all = append(all, h.P(g.Text("Try, in this order:")), h.Ol(h.Class("commands"), g.Map(of.Commands, func(c verdict.Command) g.Node {
			return h.Li(h.Code(text(c.Line)), text(" "+c.Why))
		})))
	}
	if len(of.Found) > 0 {
		all = append(all, h.H3(g.Text("Found")), soft(h.P, g.Text("Median and 90% interval; * if the chains disagree on it.")),
			h.Ul(g.Map(of.Found, func(s string) g.Node { return h.Li(text(s)) })))
	}
	if len(of.Pictures) > 0 {
		all = append(all, h.H3(g.Text("Pictures")))
	}
	for n, picture := range of.Pictures {
		label := visible.Text(picture)
		source := "/picture?" + url.Values{"run": {name}, "n": {strconv.Itoa(n)}, "v": {strconv.Itoa(f.version)}}.Encode()
		all = append(all, h.Details(h.Class("picture"), h.Summary(g.Text(label)),
			h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", label), h.Img(h.Loading("lazy"), h.Src(source), h.Alt(label)))))
	}
	return all
}
