package cli

// Reports in a browser.

import (
	"os"
	"strings"
	"testing"

	"aibd/internal/oracle/fixture"
)

// A report opens without an error and fits the screen; the keyboard reaches all of it. Of 50
// chains it has less than 5 MB and opens with the work of 20 pages of 5,000 paragraphs.
func TestReportInBrowser(t *testing.T) {
	b := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium"))
	fixture.Put(t, "hostile.csv", hostileNames)
	call(t, "fit", "--quiet", "--features", "binary", "--warmup", "20", "--draws", "40", "--chains", "50", "--out", "fifty")
	call(t, "fit", "--quiet", "--warmup", "20", "--draws", "40", "--chains", "2", "--prior", "ibp", "--out", "plain")
	call(t, "fit", "hostile.csv", "--quiet", "--warmup", "20", "--draws", "40", "--chains", "2", "--prior", "ibp", "--center=false", "--out", "hostile")
	call(t, "fit", "--quiet", "--warmup", "20", "--draws", "40", "--chains", "2", "--out", "near")
	for name, runs := range map[string][]string{"fifty": {"fifty"}, "two": {"near", "plain"}, "hostile": {"hostile"}} {
		t.Run(name, func(t *testing.T) {
			file := name + ".html"
			call(t, append([]string{"report", "--out", file}, runs...)...)
			p := b.Open(t, file)
			work := p.Load()
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes, loaded with the work of %.2g pages of 5,000 paragraphs", info.Size(), work)
			if work > 20 || info.Size() > 5e6 {
				t.Errorf("found %d bytes and the work of %.2g pages of 5,000 paragraphs, expected at most 5 MB and 20", info.Size(), work)
			}
			p.Screens(t, name)

			// Every picture has a size and something in it.
			empty := Eval[[]string](p, `[...document.querySelectorAll("svg")].filter(s => {
				const r = s.getBoundingClientRect()
				return r.width < 300 || r.height < 50 || s.querySelectorAll("path, image").length < 3 || s.querySelectorAll("text").length < 3
			}).map(s => s.getAttribute("aria-label"))`)
			if count := Eval[int](p, `document.querySelectorAll("svg").length`); len(empty) > 0 || count < 3 {
				t.Errorf("found %d pictures, empty: %q", count, empty)
			}

			// Pictures fit the width of a phone. With the focus they are as large as elsewhere, and scroll in their own boxes.
			p.Show(Phone, Light)
			if sides := Eval[[2]int](p, `(() => {
				const boxes = [...document.querySelectorAll("figure .scroll")].filter(s => s.tabIndex == 0), before = boxes.map(s => s.scrollWidth)
				return [boxes.filter(s => s.scrollWidth > s.clientWidth).length, boxes.filter((s, i) => (s.focus(), s.scrollWidth > before[i])).length]
			})()`); sides[0] > 0 || sides[1] < 3 {
				t.Errorf("found %d pictures that scroll, and %d that grow with the focus, expected none and some", sides[0], sides[1])
			}
			outside := Eval[[]string](p, `[...document.querySelectorAll("main *")].filter(e => !e.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 200))`)
			if len(outside) > 0 {
				t.Errorf("found outside the screen: %q", outside)
			}

			// Text has a contrast of at least 4.5 in both schemes (WCAG 2.2, 1.4.3).
			for _, colors := range []Scheme{Light, Dark} {
				p.Show(Desktop, colors)
				if faint := Eval[[]string](p, contrast); len(faint) > 0 {
					t.Errorf("%s: found text of low contrast: %s", colors, strings.Join(faint, "; "))
				}
			}
			p.Show(Desktop, Light)
			if faint := Eval[[]string](p, `document.querySelector("header p").style.color = "#999999", `+contrast); len(faint) != 1 {
				t.Errorf("gray text: found the texts of low contrast %q, expected one", faint)
			}

			// The keyboard first reaches the link to the answer, which then is in sight.
			if skips := Eval[bool](p, `(() => {
				const first = document.querySelector("a, button, summary, [tabindex='0']")
				const hidden = first.getBoundingClientRect().right < 0
				first.focus()
				return hidden && first.className == "skip" && first.getBoundingClientRect().left >= 0
			})()`); !skips {
				t.Error("found no link to the answer that appears with the focus")
			}
		})
	}
}

// contrast lists the texts of a page, outside pictures, whose contrast is below 4.5.
const contrast = `(() => {
	const parse = c => c.match(/[0-9.]+/g).map(Number)
	const light = c => {
		const [r, g, b] = parse(c).map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
		return 0.2126 * r + 0.7152 * g + 0.0722 * b
	}
	const ground = e => {
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor
			if (parse(c)[3] !== 0) return c
		}
		return "rgb(255, 255, 255)"
	}
	const faint = new Set()
	for (const e of document.querySelectorAll("body *")) {
		if (e.closest("svg") || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue
		const a = light(getComputedStyle(e).color), b = light(ground(e))
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
		if (ratio < 4.5) faint.add(e.tagName + "." + e.className + " " + ratio.toFixed(1))
	}
	return [...faint]
})()`
