package docs

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"
)

var siteDir = flag.String("site", "", "check the links of the site in this directory")

// brokenLinks returns a message for each link, image and script of the pages of a site that
// does not exist in the site, and for each that a page in a folder could not load. It also
// returns the number of links.
func brokenLinks(site fs.FS) (broken []string, links int, err error) {
	anchors := map[string]map[string]bool{} // of each page
	targets := map[string][]string{}
	if err := walk(site, ".html", func(name string, text []byte) error {
		anchors[name] = map[string]bool{}
		root, err := html.Parse(bytes.NewReader(text))
		if err != nil {
			return err
		}
		for n := range root.Descendants() {
			for _, a := range n.Attr {
				switch a.Key {
				case "id":
					anchors[name][a.Val] = true
				case "href", "src":
					targets[name] = append(targets[name], a.Val)
				}
			}
		}
		return nil
	}); err != nil {
		return nil, 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		for _, target := range targets[name] {
			links++
			u, err := url.Parse(target)
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", name, err)
			}
			if u.Scheme != "" {
				continue
			}
			file := name
			if u.Path != "" {
				file = path.Join(path.Dir(name), u.Path)
			}
			info, err := fs.Stat(site, file)
			switch {
			case strings.HasPrefix(target, "/"):
				broken = append(broken, fmt.Sprintf("%s: found a link to %s, expected a relative one", name, target))
			case err != nil || info.IsDir():
				broken = append(broken, fmt.Sprintf("%s: found a link to %s, expected one to a file of the site", name, target))
			case u.Fragment != "" && !anchors[file][u.Fragment]:
				broken = append(broken, fmt.Sprintf("%s: found a link to %s, expected an anchor of %s", name, target, file))
			}
		}
	}
	return broken, links, nil
}

func TestBrokenLinksAreReported(t *testing.T) {
	page := func(body string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(body)} }
	site := fstest.MapFS{
		"index.html": page(`<h2 id="here">H</h2><a href="#here"></a><a href="a/b.html#there"></a><a href="https://go.dev/#x"></a><img src="a/p.png">`),
		"a/b.html":   page(`<p id=there><a href="../index.html#here"></a><a href="p.png"></a>`),
		"a/p.png":    page(""),
	}
	if broken, links, err := brokenLinks(site); err != nil || len(broken) != 0 || links != 6 {
		t.Errorf("found %q among %d links, expected none among 6: %v", broken, links, err)
	}
	for link, want := range map[string]string{
		`<a href="c.html">`:        "expected one to a file of the site",
		`<img src="q.png">`:        "expected one to a file of the site",
		`<a href="a">`:             "expected one to a file of the site",
		`<a href="#there">`:        "expected an anchor of index.html",
		`<a href="a/b.html#here">`: "expected an anchor of a/b.html",
		`<a href="/a/b.html">`:     "expected a relative one",
	} {
		broken, _, err := brokenLinks(fstest.MapFS{"index.html": page(link), "a/b.html": site["a/b.html"], "a/p.png": site["a/p.png"]})
		// The link of a/b.html to #here is broken in each of these sites.
		if err != nil || len(broken) != 2 || !strings.Contains(broken[1], want) {
			t.Errorf("%s: found %q, expected %q: %v", link, broken, want, err)
		}
	}
}

// TestSite checks the site of the flag -site, which make site sets.
func TestSite(t *testing.T) {
	if *siteDir == "" {
		return
	}
	broken, links, err := brokenLinks(os.DirFS(*siteDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Error(b)
	}
	if links == 0 {
		t.Errorf("found no links in %s", *siteDir)
	}
	t.Logf("%d links", links)
}
