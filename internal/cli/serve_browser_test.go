package cli

// The pages of aibd serve in a browser, with runs that real processes sample.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"aibd/internal/oracle/browser"
)

// started starts aibd in a directory. It returns the first line on stdout. The process gets ^C
// at the end of the test, and must then end with the given status.
func started(t *testing.T, dir string, status int, args ...string) (c *exec.Cmd, line string) {
	t.Helper()
	c = exec.Command("aibd", args...)
	c.Dir, c.Stderr = dir, t.Output()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, err = lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	go io.Copy(io.Discard, lines)
	t.Cleanup(func() {
		c.Process.Signal(os.Interrupt)
		c.Wait()
		if found := c.ProcessState.ExitCode(); found != status {
			t.Errorf("%v: found exit status %d, expected %d", args, found, status)
		}
	})
	return c, strings.TrimSpace(line)
}

// points is the number of points of the first chain on a page.
const points = "(chains[0]?.[0]?.length ?? 0)"

// drawn is true if every plot on a page has something on its canvas.
const drawn = `[...document.querySelectorAll("figure canvas")].length >= 5 && [...document.querySelectorAll("figure canvas")].every(c =>
	c.width > 0 && new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)).size > 2)`

// A run is seen while it is sampled, stopped, resumed and complete.
func TestServeInBrowser(t *testing.T) {
	b := browser.Start(t, os.Getenv("AIBD_CHROMIUM"))
	dir := t.TempDir()
	aibd(t, dir, "data", "write", "bars")
	aibd(t, dir, "fit", "bars.csv", "--prior", "ibp", "--chains", "3", "--warmup", "100", "--draws", "400", "--out", "short", "--center=false")
	_, address := started(t, dir, 0, "serve", "--port", "0")
	list := b.Open(t, address)
	list.Wait(`document.querySelectorAll("#runs tbody tr").length === 1 && document.querySelector(".badge").textContent === "complete"`)

	fit := exec.Command("aibd", "fit", "bars.csv", "--prior", "ibp", "--chains", "3", "--warmup", "100", "--draws", "100000", "--out", "nested run", "--center=false", "--checkpoint", "0.2")
	fit.Dir = dir
	if err := fit.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- fit.Wait() }()
	list.Wait(`document.querySelector("#runs tbody tr .badge.sampling")`)
	list.Screenshots(t, "list")
	list.Do(chromedp.Click(chromedp.CSS(`#runs tbody tr a`)))
	page := list
	page.Wait("typeof chains !== 'undefined' && " + points + " > 0")
	first := browser.Eval[int](page, points)
	page.Wait(fmt.Sprintf("%s > %d && %s", points, first, drawn))
	page.Screenshots(t, "sampling")

	page.Do(chromedp.Click(chromedp.CSS("#stop")))
	page.Wait(`document.getElementById("badge").textContent === "stopped"`)
	if err := <-ended; err == nil || fit.ProcessState.ExitCode() != 130 {
		t.Errorf("found %v, expected exit status 130 after Stop", err)
	}
	page.Wait(`!document.getElementById("found").hidden`)
	page.Screenshots(t, "stopped")
	at := browser.Eval[int](page, points)

	page.Do(chromedp.Click(chromedp.CSS("#resume")))
	page.Wait(`document.getElementById("badge").textContent === "sampling"`)
	page.Wait(fmt.Sprintf("%s > %d", points, at))
	page.Do(chromedp.Click(chromedp.CSS("#stop")))
	page.Wait(`document.getElementById("badge").textContent === "stopped"`)

	done := b.Open(t, address+"run?run=short")
	done.Wait(`!document.getElementById("found").hidden && ` + drawn)
	done.Screenshots(t, "complete")
}
