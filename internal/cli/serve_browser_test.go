package cli

// The pages of aibd serve in a browser, with runs that real processes sample.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"aibd/internal/oracle/fixture"
)

// started starts aibd in a directory, and returns the first line on stdout. The caller, or else
// the end of the test, calls stop: it sends ^C, upon which the process must end with the given
// status.
func started(t *testing.T, dir string, status int, args ...string) (line string, stop func()) {
	t.Helper()
	c := exec.Command("aibd", args...)
	c.Dir, c.Stderr = dir, t.Output()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		c.Process.Signal(os.Interrupt)
		io.Copy(io.Discard, out)
		c.Wait()
		if got := c.ProcessState.ExitCode(); got != status {
			t.Errorf("%v: found exit status %d, expected %d", args, got, status)
		}
	})
	t.Cleanup(stop)
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return strings.TrimSpace(line), stop
}

const (
	// drawn is the address of the traces on a page, once they are loaded.
	drawn = `[...document.querySelectorAll("#traces img")].filter(i => i.complete && i.naturalWidth > 0).map(i => i.src)[0]`
	got   = `document.querySelector("#verdict .verdict")`
)

// badge is true if a page shows a state.
func badge(state string) string { return `document.querySelector("#state .badge.` + state + `")` }

// click clicks on what a selector of CSS finds.
func click(p *Page, selector string) { p.Do(chromedp.Click(chromedp.CSS(selector))) }

// bars is a fit that takes far longer than a test. It leaves cores to the browser.
var bars = []string{"fit", "bars.csv", "--prior", "ibp", "--chains", "3", "--warmup", "100", "--draws", "100000", "--center=false", "--cores", "1"}

// A run is seen while it is sampled and stopped, in two pages. One page is enough to get in.
func TestServeInBrowser(t *testing.T) {
	b := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium"))
	dir := t.TempDir()
	aibd(t, dir, "data", "write", "bars")
	aibd(t, dir, append(bars, "--draws", "400", "--out", "short")...)
	address, stopServer := started(t, dir, 0, "serve", "--port", "0")
	page := b.Open(t, address)
	page.Wait(`document.querySelectorAll("#list tbody tr").length === 1 && document.querySelector(".badge.complete")`)
	if now := Eval[string](page, "location.href + document.cookie"); strings.Contains(now, "token") {
		t.Errorf("found the token in %s", now)
	}

	fit := exec.Command("aibd", append(bars, "--out", "nested run", "--checkpoint", "0.2")...)
	fit.Dir = dir
	if err := fit.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- fit.Wait() }()
	defer fit.Process.Kill()
	page.Wait(`document.querySelector("#list tbody tr .badge.sampling")`)
	page.Screens(t, "list")
	click(page, "#list tbody tr a")
	page.Wait(drawn)
	other := b.Open(t, Eval[string](page, "location.href"))
	for _, p := range []*Page{page, other} {
		p.Wait(drawn)
		first := Eval[string](p, drawn)
		p.Wait(fmt.Sprintf("%s !== %q && %[1]s", drawn, first))
	}
	page.Screens(t, "sampling")

	// Stop, with the keyboard.
	Eval[bool](page, `document.getElementById("stop").focus() ?? true`)
	page.Do(chromedp.KeyEvent(kb.Enter))
	for _, p := range []*Page{page, other} {
		p.Wait(badge("stopped"))
		p.Wait(got)
	}
	if err := <-ended; err == nil || fit.ProcessState.ExitCode() != 130 {
		t.Errorf("found %v, expected exit status 130 after Stop", err)
	}
	page.Screens(t, "stopped")

	resume := exec.Command("aibd", "resume", "nested run", "--checkpoint", "0.2")
	resume.Dir = dir
	if err := resume.Start(); err != nil {
		t.Fatal(err)
	}
	page.Wait(badge("sampling"))
	click(page, "#stop")
	page.Wait(badge("stopped"))
	resume.Wait()

	done := b.Open(t, strings.Replace(Eval[string](page, "location.href"), "nested+run", "short", 1))
	done.Wait(got + " && " + drawn + ` && document.querySelectorAll("details").length >= 9`)
	Eval[bool](done, `document.querySelectorAll("details").forEach(d => { d.open = true; d.querySelector("img").loading = "eager"; }) ?? true`)
	done.Wait(`[...document.querySelectorAll("details img")].every(i => i.complete && i.naturalWidth > 0)`)
	done.Screens(t, "complete")
	if open := Eval[int](done, `document.querySelectorAll("details[open]").length`); open < 9 {
		t.Errorf("found %d pictures still open", open)
	}
	if err := os.RemoveAll(filepath.Join(dir, "short")); err != nil {
		t.Fatal(err)
	}
	done.Wait(badge("removed"))
	wantProblems(t, done, "404 (Not Found)")
	done.Close()

	// Pages of a server that ended say so, and those of another one that it does not have them.
	stopServer()
	page.Wait(`document.getElementById("connection").textContent.includes("does not answer")`)
	started(t, dir, 0, "serve", "--port", regexp.MustCompile(`:(\d+)/`).FindStringSubmatch(address)[1])
	page.Wait(`document.getElementById("connection").textContent.includes("found no token of this server")`)
	for _, p := range []*Page{page, other} {
		wantProblems(t, p, "ERR_CONNECTION_REFUSED", "403 (Forbidden)")
		p.Close() // before the server ends
	}
}

// wantProblems fails if a page has other problems than those with the given words.
func wantProblems(t *testing.T, p *Page, words ...string) {
	t.Helper()
	for _, problem := range p.Problems() {
		if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(problem, word) }) {
			t.Error(problem)
		}
	}
}

// fit --serve shows its run. After Stop the page stays.
func TestFitInBrowser(t *testing.T) {
	b := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium"))
	dir := t.TempDir()
	aibd(t, dir, "data", "write", "bars")
	address, stop := started(t, dir, 130, append(bars, "--serve", "--port", "0", "--quiet", "--checkpoint", "0.2")...)
	page := b.Open(t, address)
	page.Wait(drawn)
	click(page, "#stop")
	page.Wait(badge("stopped") + " && " + got)
	if text := Eval[string](page, `document.getElementById("verdict").innerText`); strings.Contains(text, "X was not read") {
		t.Errorf("found no X: %s", text)
	}
	page.Close()
	stop()
	if _, log, status := aibd(t, dir, "summary", "aibd-run"); status != 0 {
		t.Errorf("found status %d: %s", status, log)
	}
}
