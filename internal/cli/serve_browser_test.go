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
		if found := c.ProcessState.ExitCode(); found != status {
			t.Errorf("%v: found exit status %d, expected %d", args, found, status)
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
	// points is the number of points of the first chain on a page.
	points = "(typeof round === 'undefined' || !round ? 0 : (chains[0]?.[0]?.length ?? 0) * round.stride)"
	// drawn is true if every plot on a page has something on its canvas.
	drawn = `[...document.querySelectorAll("figure canvas")].length >= 10 && [...document.querySelectorAll("figure canvas")].every(c => {
		const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", {willReadFrequently: true});
		copy.drawImage(c, 0, 0);
		return new Set(new Uint32Array(copy.getImageData(0, 0, c.width, c.height).data.buffer)).size > 2;
	})`
	badge = `document.getElementById("badge").textContent === `
	found = `!document.getElementById("found").hidden`
)

// click clicks on what a selector of CSS finds.
func click(p *Page, selector string) { p.Do(chromedp.Click(chromedp.CSS(selector))) }

// bars is a fit that takes far longer than a test.
var bars = []string{"fit", "bars.csv", "--prior", "ibp", "--chains", "3", "--warmup", "100", "--draws", "100000", "--center=false"}

// A run is seen while it is sampled, stopped and resumed, in two pages, also by a server that
// was started again.
func TestServeInBrowser(t *testing.T) {
	b := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium"))
	dir := t.TempDir()
	aibd(t, dir, "data", "write", "bars")
	aibd(t, dir, append(bars, "--draws", "400", "--out", "short")...)
	address, stopServer := started(t, dir, 0, "serve", "--port", "0")
	page := b.Open(t, address)
	page.Wait(`document.querySelectorAll("#runs tbody tr").length === 1 && document.querySelector(".badge").textContent === "complete"`)

	fit := exec.Command("aibd", append(bars, "--out", "nested run", "--checkpoint", "0.2")...)
	fit.Dir = dir
	if err := fit.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- fit.Wait() }()
	defer fit.Process.Kill()
	page.Wait(`document.querySelector("#runs tbody tr .badge.sampling")`)
	page.Screens(t, "list")
	click(page, "#runs tbody tr a")
	page.Wait(points + " > 0 && " + drawn)
	other := b.Open(t, address+"run?run=nested+run")
	for _, p := range []*Page{page, other} {
		first := Eval[int](p, points)
		p.Wait(fmt.Sprintf("%s > %d && %s", points, first, drawn))
	}
	page.Screens(t, "sampling")

	// Stop, with the keyboard.
	Eval[bool](page, `document.getElementById("stop").focus() ?? true`)
	page.Do(chromedp.KeyEvent(kb.Enter))
	for _, p := range []*Page{page, other} {
		p.Wait(badge + `"stopped"`)
		p.Wait(found)
	}
	if err := <-ended; err == nil || fit.ProcessState.ExitCode() != 130 {
		t.Errorf("found %v, expected exit status 130 after Stop", err)
	}
	page.Screens(t, "stopped")
	at := Eval[int](page, points)

	click(page, "#resume")
	page.Wait(badge + `"sampling"`)
	page.Wait(fmt.Sprintf("%s > %d", points, at))

	// A server that ends stops the run. The pages wait for the next one, and use it.
	stopServer()
	page.Wait(`document.getElementById("connection").textContent !== ""`)
	started(t, dir, 0, "serve", "--port", regexp.MustCompile(`:(\d+)/`).FindStringSubmatch(address)[1])
	page.Wait(`document.getElementById("connection").textContent === "" && ` + badge + `"stopped"`)
	at = Eval[int](page, points)
	click(page, "#resume")
	page.Wait(fmt.Sprintf("%s > %d", points, at))
	click(page, "#stop")
	page.Wait(badge + `"stopped"`)
	for _, p := range []*Page{page, other} {
		for _, problem := range p.Problems() {
			if !strings.Contains(problem, "ERR_CONNECTION_REFUSED") && !strings.Contains(problem, "ERR_INCOMPLETE_CHUNKED_ENCODING") {
				t.Error(problem)
			}
		}
	}

	done := b.Open(t, address+"run?run=short")
	done.Wait(found + " && " + drawn)
	Eval[bool](done, `document.querySelectorAll("#found details").forEach(d => { d.open = true; d.querySelector("img").loading = "eager"; }) ?? true`)
	done.Wait(`document.querySelectorAll("#found img").length >= 10 && [...document.querySelectorAll("#found img")].every(i => i.complete && i.naturalWidth > 0)`)
	done.Screens(t, "complete")
	if err := os.RemoveAll(filepath.Join(dir, "short")); err != nil {
		t.Fatal(err)
	}
	done.Wait(badge + `"removed"`)
	for _, p := range []*Page{page, other, done} {
		p.Close() // before the server ends
	}
}

// fit --serve shows its run. After Stop the page stays, and can resume the run.
func TestFitInBrowser(t *testing.T) {
	b := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium"))
	dir := t.TempDir()
	aibd(t, dir, "data", "write", "bars")
	address, stop := started(t, dir, 130, append(bars, "--serve", "--port", "0", "--quiet", "--checkpoint", "0.2")...)
	page := b.Open(t, address)
	page.Wait(points + " > 0 && " + drawn)
	click(page, "#stop")
	page.Wait(badge + `"stopped" && ` + found)
	if text := Eval[string](page, `document.getElementById("found").innerText`); strings.Contains(text, "X was not read") {
		t.Errorf("found no X: %s", text)
	}
	at := Eval[int](page, points)
	click(page, "#resume")
	page.Wait(fmt.Sprintf("%s > %d", points, at))
	stop()
	if _, log, status := aibd(t, dir, "summary", "aibd-run"); status != 0 {
		t.Errorf("found status %d: %s", status, log)
	}
	for _, problem := range page.Problems() {
		if !strings.Contains(problem, "ERR_CONNECTION_REFUSED") && !strings.Contains(problem, "ERR_INCOMPLETE_CHUNKED_ENCODING") {
			t.Error(problem)
		}
	}
}
