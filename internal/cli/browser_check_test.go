package cli

import (
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aibd/internal/oracle/fixture"
)

// A page that does everything it must not do gives these problems, a good one none.
func TestProblems(t *testing.T) {
	b := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium"))
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><title>bad</title><img src="missing.png"><img src="http://example.invalid/x.png">
			<script>console.error("an error"); setTimeout(() => { console.warn("a warning"); window.done = true; throw new Error("thrown") })</script>`))
	}))
	defer served.Close()
	bad := b.Open(t, served.URL+"/")
	bad.Wait("window.done && document.images[1].complete")
	problems := strings.Join(bad.Problems(), "\n")
	for _, want := range []string{"console: an error", "console: a warning", "thrown", "missing.png", "request to http://example.invalid/x.png"} {
		if !strings.Contains(problems, want) {
			t.Errorf("found the problems\n%s\nexpected %q among them", problems, want)
		}
	}

	file := filepath.Join(t.TempDir(), "a page.html")
	if err := os.WriteFile(file, []byte(`<!doctype html><meta name="viewport" content="width=device-width">
		<style>:root { color-scheme: light dark }</style><title>good</title><p style="height: 2000px">Text`), 0o666); err != nil {
		t.Fatal(err)
	}
	good := b.Open(t, file)
	if title := Eval[string](good, "document.title"); title != "good" {
		t.Errorf("found the title %q", title)
	}
	good.Screens(t, "good")
	if problems := good.Problems(); len(problems) > 0 {
		t.Errorf("a good page: %q", problems)
	}
	var sizes [][2]int
	for _, size := range []Size{Desktop, Phone} {
		good.Show(size, Dark)
		picture := filepath.Join(t.TempDir(), "picture.png")
		good.save(picture)
		f, err := os.Open(picture)
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, [2]int{config.Width, config.Height})
	}
	if sizes[0][0] != 1280 || sizes[1][0] != 780 || slices.ContainsFunc(sizes, func(s [2]int) bool { return s[1] < 2000 }) {
		t.Errorf("found pictures of the sizes %v, expected the whole page, 1280 and 780 pixels wide", sizes)
	}
}

// TestLoad: the work of a page counts when it is loaded.
func TestLoad(t *testing.T) {
	b := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium"))
	var work [2]float64
	for i, paragraphs := range []int{1, 20000} {
		name := filepath.Join(t.TempDir(), "page.html")
		if err := os.WriteFile(name, []byte("<!doctype html><title>Work</title>"+strings.Repeat("<p>some words here", paragraphs)), 0o666); err != nil {
			t.Fatal(err)
		}
		work[i] = b.Open(t, name).Load()
	}
	if work[0] > 0.5 || work[1] < 1 {
		t.Errorf("found the work %.2g of a page of 1 paragraph and %.2g of 20,000, expected next to none and about 4", work[0], work[1])
	}
}

// Wait goes on when the page navigates during an evaluation.
func TestWaitNavigates(t *testing.T) {
	b := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium"))
	dir := t.TempDir()
	for _, name := range []string{"first", "second"} {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte("<!doctype html><title>"+name+"</title>"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Open(t, filepath.Join(dir, "first.html"))
	p.Wait(`document.title === "second" || new Promise(() => location.assign("second.html"))`)
	if title := Eval[string](p, "document.title"); title != "second" {
		t.Errorf("found the page %q", title)
	}
}
