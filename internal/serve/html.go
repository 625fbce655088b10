package serve

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/internal/words"
	"aibd/posterior"
)

// text returns text with its control characters escaped.
func text(s string) g.Node { return g.Text(visible.Text(s)) }

// rendered returns HTML as text.
func rendered(n g.Node) string {
	var b strings.Builder
	if err := n.Render(&b); err != nil {
		panic(err) // of the memory
	}
	return b.String()
}

// enteredPage returns the page of an address with a token. It goes on by itself: a browser that comes
// from a file or another site sends strict cookies only from here.
func enteredPage(place string) g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(g.Attr("http-equiv", "refresh"), h.Content("0;url="+place)),
			h.Link(h.Rel("icon"), h.Href(place+"static/icon.svg")),
			h.TitleEl(g.Text("aibd")),
		),
		h.Body(h.A(h.Href(place), g.Text("Runs"))),
	))
}

// page returns a page whose live parts stay up to date.
func page(title, about string, nav g.Node, content ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.Link(h.Rel("icon"), h.Href("static/icon.svg"), h.Type("image/svg+xml")),
			h.Link(h.Rel("stylesheet"), h.Href("static/style.css")),
			h.TitleEl(g.Text(title+" – aibd")),
			h.Script(h.Src("static/live.js"), h.Defer()),
		),
		h.Body(
			h.Header(nav, h.H1(g.Text(title)), soft(h.P, text(about)), h.P(h.ID("connection"), h.Class("alert"), h.Role("status"), g.Attr("hidden"))),
			h.Main(h.NoScript(alert("Without JavaScript this page does not change by itself.")), g.Group(content)),
		),
	))
}

// live returns a part that the script replaces when it changes.
func live(id string, content ...g.Node) g.Node {
	return h.Div(h.ID(id), h.Class("live"), g.Group(content))
}

// soft returns less important words.
func soft(element func(...g.Node) g.Node, content ...g.Node) g.Node {
	return element(h.Class("soft"), g.Group(content))
}

// alert returns a paragraph that warns, or nothing.
func alert(s string) g.Node { return g.If(s != "", h.P(h.Class("alert"), text(s))) }

func heads(all ...string) g.Node {
	return h.THead(h.Tr(g.Map(all, func(s string) g.Node { return h.Th(h.Scope("col"), g.Text(s)) })))
}

func badge(state string) g.Node { return h.Span(h.Class("badge "+state), g.Text(state)) }

// page returns the page of the list of a directory.
func (l *list) page(dir string) g.Node {
	rows := g.Map(l.order, func(name string) g.Node { return h.Tr(l.entries[name].cells()) })
	table := h.Table(h.Class("runs"), heads("Run", "State", "Progress", "So far"), h.TBody(rows))
	if len(l.order) == 0 {
		table = h.P(g.Text("No runs yet: "), h.Code(g.Text("aibd fit")), g.Text(" makes one, and it appears here."))
	}
	return page("Runs", fmt.Sprintf("of aibd in %s and up to %d directories below it", dir, maxDepth), nil,
		live("list", g.If(l.cut, alert("There are too many directories: some were not searched.")), table))
}

// cells returns the cells of a run in the list.
func (e *entry) cells() g.Node {
	return g.Group{
		h.Th(h.Scope("row"), h.A(h.Href(address(e.Name)), g.Text(e.Title)), g.If(e.Spec != "", soft(h.Span, g.Text(e.Spec)))),
		h.Td(badge(e.State.State)),
		h.Td(text(e.State.Text), g.If(e.State.Alert != "", h.Span(h.Class("alert"), text(e.State.Alert)))),
		h.Td(g.If(e.Checks != "", h.Span(g.If(!e.Settled, h.Class("bad")), g.Text(e.Checks)))),
	}
}

// page returns the page of a run.
func (v *view) page() g.Node {
	st := v.State
	var progress, do g.Node
	if st.Total > 0 {
		progress = h.Progress(h.Max(strconv.Itoa(st.Total)), h.Value(strconv.Itoa(st.Done)), h.Aria("label", "scans of this round"))
	}
	switch {
	case st.Stop:
		do = h.Form(h.Method("post"), h.Action("stop"), h.Input(h.Type("hidden"), h.Name("run"), h.Value(v.Name)), h.Button(h.ID("stop"), g.Text("Stop")))
	case st.Resume != "":
		do = h.P(g.Text("To continue: "), h.Code(text(st.Resume)))
	}
	nav := g.If(v.Name != ".", h.Nav(h.A(h.Href("./"), g.Text("All runs"))))
	return page(v.Title, v.Spec, nav,
		h.Section(h.Aria("label", "State"), h.Class("panel"),
			live("state", h.P(badge(st.State), g.Text(" "+visible.Text(st.Text))), progress, alert(st.Alert)),
			live("do", do),
		),
		live("verdict", alert(v.err), v.verdict()),
		live("traces", v.traces()),
		live("quantities", v.quantities()),
		live("pictures", v.pictures()),
	)
}

// verdict returns how well the chains agree and what was found.
func (v *view) verdict() g.Node {
	switch {
	case v.run == nil || v.shown == nil && v.err != "":
		return nil
	case v.shown == nil:
		return h.P(g.Text("There are no draws yet. They appear after warmup, when the chains are saved for the first time."))
	case v.shown.summary == nil:
		line, settled := soFar(v.shown.Verdict)
		if line == "" {
			line = "Too few draws to judge"
		}
		return g.Group{
			h.H2(g.Text("Do the chains agree?")),
			h.P(g.If(!settled, h.Class("bad")), g.Text(fmt.Sprintf("%s after %s of each chain.", line, words.Plural(v.shown.Traces[0].Len(), "draw")))),
			g.If(v.err == "", soft(h.P, g.Text(fmt.Sprintf("R-hat must be at most %v, ESS at least %d. The verdict on pairs of items and fitted values follows when sampling stops.", verdict.MaxRHat, verdict.MinESS)))),
		}
	}
	summary := v.shown.summary
	class, lines := "verdict bad", []string{summary.Line()}
	if summary.OnLarge {
		class = "verdict good"
	}
	if summary.Looks != "" {
		lines = append(lines, summary.Looks)
	}
	all := g.Group{h.H2(g.Text("What was found")), h.Div(h.Class(class), g.Map(lines, func(s string) g.Node { return h.P(text(s)) })), alert(summary.Note)}
	if len(summary.Try) > 0 {
		all = append(all, h.P(g.Text("Try, in this order:")), h.Ol(h.Class("commands"), g.Map(summary.Try, func(c verdict.Command) g.Node {
			return h.Li(h.Code(text(c.Line)), text(" "+c.Why))
		})))
	}
	return append(all, soft(h.P, g.Text("Numbers below: "+results.FoundLegend+".")), h.Ul(g.Map(summary.Found, func(s string) g.Node { return h.Li(text(s)) })))
}

// picture returns a picture of what is shown.
func (v *view) picture(k picture.Kind, children ...g.Node) g.Node {
	label := visible.Text(k.Shows)
	source := "picture?" + url.Values{"run": {v.Name}, "kind": {k.Name}, "number": {strconv.Itoa(v.shown.number)}}.Encode()
	return h.Div(h.Class("picture"), h.TabIndex("0"), h.Role("region"), h.Aria("label", label), h.Img(h.Src(source), h.Alt(label), g.Group(children)))
}

func (v *view) traces() g.Node {
	if v.shown == nil {
		return nil
	}
	for _, k := range picture.Kinds {
		if k.Name == traces {
			return g.Group{h.H2(g.Text("Traces")), v.picture(k)}
		}
	}
	return nil
}

// pictures returns all pictures but the traces.
func (v *view) pictures() g.Node {
	if v.shown == nil || v.shown.summary == nil {
		return nil
	}
	all := g.Group{h.H2(g.Text("Pictures"))}
	for _, k := range picture.Kinds {
		if k.Name != traces {
			all = append(all, h.Details(h.Summary(text(k.Shows)), v.picture(k, h.Loading("lazy"))))
		}
	}
	return all
}

// quantities returns the table of the scalars.
func (v *view) quantities() g.Node {
	if v.shown == nil {
		return nil
	}
	return g.Group{h.H2(g.Text("Quantities")), h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("region"), h.Aria("label", "Quantities"), h.Table(
		heads("", "median", "5%", "95%", "R-hat", "ESS"),
		h.TBody(g.Map(v.shown.Quantities(), func(q verdict.Quantity) g.Node { return h.Tr(cellsOf(q)) })),
	))}
}

// cellsOf returns the cells of a quantity in the table.
func cellsOf(q verdict.Quantity) g.Node {
	summary := posterior.Summarize(q.Chains)
	cell := func(s string, bad bool) g.Node { return h.Td(g.If(bad, h.Class("bad")), g.Text(s)) }
	row := g.Group{h.Th(h.Scope("row"), text(q.Label())), cell(words.Rounded(summary.Q50, 4), false)}
	if q.Kind == verdict.Fixed {
		return append(row, cell("", false), cell("", false), cell("fixed", false), cell("", false))
	}
	ess := summary.ESSBulk
	if summary.ESSTail < ess {
		ess = summary.ESSTail
	}
	diagnostic := func(x float64, format func(float64) string, bad bool) g.Node {
		if math.IsNaN(x) {
			return cell("–", false)
		}
		return cell(format(x), bad)
	}
	return append(row, cell(words.Rounded(summary.Q5, 4), false), cell(words.Rounded(summary.Q95, 4), false),
		diagnostic(summary.RHat, verdict.RHat, summary.RHat > verdict.MaxRHat), diagnostic(ess, verdict.ESS, ess < verdict.MinESS))
}
