package markup

import (
	"slices"
	"testing"
)

const good = `<!DOCTYPE html><html lang="en"><title>t</title><header><h1>a</h1></header><nav><a href="#x">x</a></nav>
<main><h2 id="x">b</h2><table><caption>c</caption><tr><th scope="col">d</th><td>1</td></tr></table></main><footer>f</footer>`

// A good page has no problems; a bad one has each of them.
func TestProblems(t *testing.T) {
	if got := Problems(Parse(t, []byte(good))); len(got) > 0 {
		t.Errorf("a good page: %q", got)
	}
	for part, want := range map[string]string{
		`<script>1</script>`:              "found the element script",
		`<p onclick="x">`:                 "found the attribute onclick of p, expected no script",
		`<a href="http://example.com">x`:  `found href="http://example.com", expected a place in the page`,
		`<h4>deep</h4>`:                   `found the heading "deep" of level 4 below level 1`,
		`<svg></svg>`:                     "found a picture without a text alternative",
		`<i id="y"></i><i id="y"></i>`:    "found the id y 2 times",
		"<p>\x1b[31m":                     `found the control character "\x1b" in "\x1b[31m"`,
		`<a href="#none">x</a>`:           "found a link to #none, expected an element of that id",
		`<div tabindex="0">`:              "found the focusable div without a label",
		`<table><tr><th>no scope</table>`: `found the header cell "no scope" without scope`,
		`<main>second</main>`:             "found 2 main, expected one with text",
	} {
		got := Problems(Parse(t, []byte(`<!DOCTYPE html><html lang="en"><title>t</title><header><h1>a</h1></header><nav>n</nav><footer>f</footer><main></main>`+part)))
		if !slices.Contains(got, want) {
			t.Errorf("%s: found %q, expected %q", part, got, want)
		}
	}
}
