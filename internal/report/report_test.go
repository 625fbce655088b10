package report

import (
	"strings"
	"testing"

	"aibd/internal/oracle/markup"
)

// hostile is text that would leave its place in HTML, in an attribute or on a terminal.
const hostile = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>&amp;\x1b[31m\u202e\n]]>--><!--"

// shown is what a reader sees of it.
const shown = `</script><script>alert(1)</script>"'><img src=x onerror=alert(1)>&amp;\x1b[31m\u202e\n]]>--><!--`

const drawing = "<?xml version=\"1.0\"?>\n<!-- a comment -->\n<svg width=\"1pt\" height=\"1pt\" viewBox=\"0 0 1 1\"\n\txmlns=\"http://www.w3.org/2000/svg\">\n<text>a &lt; b</text>\n</svg>\n"

// everyBlock holds a block of each kind with the given text wherever it takes text.
func everyBlock(s string) []Block {
	return []Block{
		Text(s), Verdict{Line: s}, Verdict{Good: true, Line: "Good: " + s}, List{s}, List{s, s}, Facts{{s, s}}, Commands{{Line: s, Why: s}},
		Table{s, s, [][]string{{"", s}, {s, s}}}, Picture{s, s, []byte(drawing)}, Answer{s, []Block{Text(s)}},
		Cards{{s, []Block{Facts{{s, s}}}}}, Details{s, []Block{Text(s)}},
	}
}

func TestHostileText(t *testing.T) {
	p := Page{Title: hostile, Lead: []string{hostile}, Foot: []string{hostile}, Wide: true, Sections: []Section{
		{ID: "answer", Title: hostile, Panes: []Pane{{hostile, hostile, everyBlock(hostile)}, {hostile, "", everyBlock(hostile)}}},
		{ID: "more", Title: hostile, Panes: []Pane{{Blocks: everyBlock(hostile)}}},
	}}
	content, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	root := markup.Parse(t, content)
	for _, problem := range markup.Problems(root) {
		t.Error(problem)
	}
	if images := len(markup.All(root, "img")); images > 0 {
		t.Errorf("found %d images that nobody put there", images)
	}
	if title := markup.Text(markup.All(root, "title")[0]); title != shown {
		t.Errorf("found the title %q, expected %q", title, shown)
	}
	svg := markup.All(root, "svg")
	if label, _ := markup.Attribute(svg[0], "aria-label"); len(svg) != 3 || label != shown {
		t.Errorf("found %d pictures, the first with the text %q", len(svg), label)
	}
	for _, name := range []string{"dd", "dt", "li", "td", "caption", "summary", "code", "h3", "h4"} {
		if all := markup.All(root, name); len(all) == 0 || !strings.Contains(markup.Text(all[len(all)-1]), shown) {
			t.Errorf("%s: the text is not shown as it is", name)
		}
	}
}

// Panes of several runs have headings, and what is in them is one level deeper.
func TestHeadings(t *testing.T) {
	p := Page{Title: "t", Sections: []Section{
		{ID: "answer", Title: "one", Panes: []Pane{{Blocks: []Block{Answer{"q", []Block{Cards{{Title: "c"}}}}}}}},
		{ID: "b", Title: "two", Panes: []Pane{{Name: "run", Blocks: []Block{Answer{Question: "q"}}}, {Name: "other", Doubt: "no"}}},
	}, Lead: []string{"l"}, Foot: []string{"f"}}
	content, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	root := markup.Parse(t, content)
	for _, problem := range markup.Problems(root) {
		t.Error(problem)
	}
	var got []string
	for n := range root.Descendants() {
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] <= '6' {
			got = append(got, n.Data+" "+markup.Text(n))
		}
	}
	expected := "h1 t, h2 one, h3 q, h4 c, h2 two, h3 run, h4 q, h3 other"
	if got := strings.Join(got, ", "); got != expected {
		t.Errorf("found the headings %s, expected %s", got, expected)
	}
	if !strings.Contains(string(content), "Caution:") {
		t.Error("found no doubt")
	}
}
