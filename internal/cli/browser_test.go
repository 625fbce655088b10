package cli

// Pages in Chromium: scripts, screenshots, and what a page that needs no network must not do.

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	js "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take for anything, on a busy machine too.
const patience = 3 * time.Minute

// Browser is a running Chromium.
type Browser struct{ ctx context.Context }

// Start starts the browser with the given file name, which tests take from the variable
// AIBD_CHROMIUM. The browser ends with the test. It resolves no name but localhost.
func Start(t testing.TB, chromium string) *Browser {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(chromium),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"),
		chromedp.Flag("hide-scrollbars", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s: %v", chromium, err)
	}
	return &Browser{ctx}
}

// Page is a tab that is open.
type Page struct {
	Close func() // closes the tab; the problems that Problems has not returned are errors of the test

	t        testing.TB
	browser  *Browser
	ctx      context.Context
	mutex    sync.Mutex
	problems []string
	origin   string
}

// Open opens a URL, or a file, in a new tab as large as Desktop, and waits until it is
// loaded. The end of the test closes it.
func (b *Browser) Open(t testing.TB, name string) *Page {
	t.Helper()
	if !strings.Contains(name, "://") {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		if path = filepath.ToSlash(path); runtime.GOOS == "windows" {
			path = "/" + path
		}
		name = (&url.URL{Scheme: "file", Path: path}).String()
	}
	address, err := url.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := chromedp.NewContext(b.ctx)
	p := &Page{t: t, browser: b, ctx: ctx, origin: address.Scheme + "://" + address.Host}
	p.Close = sync.OnceFunc(func() {
		stop()
		for _, problem := range p.Problems() {
			t.Errorf("%s: %s", name, problem)
		}
	})
	t.Cleanup(p.Close)
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	p.Show(Desktop, Light)
	command(p, network.Enable, network.EnableParams{})
	command(p, log.Enable, cdp.Empty{})
	p.Do(chromedp.Navigate(name))
	return p
}

// hear notes the problems among the events of the browser.
func (p *Page) hear(event any) {
	switch e := event.(type) {
	case *js.EventExceptionThrown:
		p.note("exception: %s", (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *js.EventConsoleAPICalled:
		if kind := string(e.Type); kind == "error" || kind == "warning" || kind == "assert" {
			var words []string
			for _, arg := range e.Args {
				words = append(words, strings.Trim(string(arg.Value)+" "+arg.Description, ` "`))
			}
			p.note("console: %s", strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		if level := string(e.Entry.Level); level == "error" || level == "warning" {
			p.note("log: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		address := e.Request.URL
		if !strings.HasPrefix(address, p.origin+"/") && !strings.HasPrefix(address, "data:") && !strings.HasPrefix(address, "blob:") {
			p.note("request to %s, expected none outside %s", address, p.origin)
		}
	}
}

func (p *Page) note(format string, args ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

// Problems returns the errors and warnings of the console, uncaught exceptions, files that
// did not load and requests to other origins since the last call.
func (p *Page) Problems() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	problems := p.problems
	p.problems = nil
	return problems
}

// limited returns a context for one action.
func (p *Page) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, patience)
}

// Do runs actions of chromedp, such as chromedp.Click. An error fails the test.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, stop := p.limited()
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// Eval returns the value of an expression of JavaScript, or of the promise that it is.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	value, err := eval[T](p, expression)
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func eval[T any](p *Page, expression string) (T, error) {
	ctx, stop := p.limited()
	defer stop()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// command runs a command of the protocol.
func command[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, stop := p.limited()
	defer stop()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		p.t.Fatal(err)
	}
	return result
}

// Load loads the page again and returns the processor time of its main thread, which runs scripts and
// lays out what they make, divided by that of a page of 5,000 paragraphs. Both are the least of three
// loads in turns, so the ratio hardly depends on the machine and on what else it does.
func (p *Page) Load() float64 {
	p.t.Helper()
	name := filepath.Join(p.t.TempDir(), "reference.html")
	if err := os.WriteFile(name, []byte("<!doctype html><title>Reference</title>"+strings.Repeat("<p>a paragraph of text", 5000)), 0o666); err != nil {
		p.t.Fatal(err)
	}
	reference := p.browser.Open(p.t, name)
	defer reference.Close()
	least, unit := p.load(), reference.load()
	for range 2 {
		least, unit = min(least, p.load()), min(unit, reference.load())
	}
	return float64(least) / float64(unit)
}

// load loads the page again and returns the processor time of its main thread.
func (p *Page) load() time.Duration {
	p.t.Helper()
	command(p, performance.Enable, performance.EnableParams{}) // counts from here until Disable
	Eval[bool](p, "window.before = true")
	command(p, page.Reload, page.ReloadParams{})
	p.Wait("!window.before && performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
	metrics := command(p, performance.GetMetrics, cdp.Empty{}).Metrics
	command(p, performance.Disable, cdp.Empty{})
	for _, m := range metrics {
		if m.Name == "ThreadTime" {
			return time.Duration(m.Value * float64(time.Second))
		}
	}
	p.t.Fatal("found no ThreadTime among the metrics of the page")
	return 0
}

// Wait waits until an expression of JavaScript, or the promise that it is, is true. The page may
// navigate meanwhile: an evaluation that another page interrupts counts as false.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		yes, err := eval[bool](p, "Promise.resolve("+expression+").then(Boolean)")
		if interrupted := (*cdproto.Error)(nil); err != nil && !errors.As(err, &interrupted) {
			p.t.Fatalf("%s: %v", expression, err)
		}
		if yes {
			return
		}
		if time.Since(start) > patience {
			text, _ := json.Marshal(Eval[string](p, "document.body.innerText"))
			p.t.Fatalf("after %v not true: %s (%v); the page has the text %.2000s; problems: %q", patience, expression, err, text, p.Problems())
		}
	}
}

// Size is the size of a window in CSS pixels.
type Size struct {
	Name          string
	Width, Height int64
	phone         bool
}

// The sizes of the screens that show pages.
var (
	Desktop = Size{"desktop", 1280, 900, false}
	Phone   = Size{"phone", 390, 844, true}
)

// Scheme is the color scheme that the user prefers.
type Scheme string

const (
	Light Scheme = "light"
	Dark  Scheme = "dark"
)

// Show changes size and colors of the screen.
func (p *Page) Show(s Size, colors Scheme) {
	p.t.Helper()
	scale := 1.0
	if s.phone {
		scale = 2
	}
	command(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.Width, Height: s.Height, DeviceScaleFactor: scale, Mobile: s.phone})
	command(p, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: s.phone})
	command(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: string(colors)}}})
}

// Screens shows the page at Phone and Desktop, dark and light. A page that is wider than the screen is
// an error. If the test keeps its artifacts (see go help testflag, -artifacts), pictures of the whole
// page are among them: NAME-desktop-light.png and so on. Afterwards the page is as large as Desktop, and
// light.
func (p *Page) Screens(t *testing.T, name string) {
	t.Helper()
	keep := flag.Lookup("test.artifacts").Value.String() == "true"
	for _, s := range []Size{Phone, Desktop} {
		for _, colors := range []Scheme{Dark, Light} {
			p.Show(s, colors)
			// Two frames later what listens to the size has drawn.
			Eval[bool](p, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 250))))")
			if width := Eval[int64](p, "document.documentElement.scrollWidth"); width > s.Width {
				t.Errorf("%s: found a page %d pixels wide, expected at most %d, as the %s", name, width, s.Width, s.Name)
			}
			if keep {
				p.save(filepath.Join(t.ArtifactDir(), fmt.Sprintf("%s-%s-%s.png", name, s.Name, colors)))
			}
		}
	}
}

// save writes a picture of the whole page.
func (p *Page) save(file string) {
	p.t.Helper()
	shot := command(p, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true)})
	if err := os.WriteFile(file, shot.Data, 0o666); err != nil {
		p.t.Fatal(err)
	}
}
