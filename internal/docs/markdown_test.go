package docs

// The part of Markdown that the documents use.

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// A document is a parsed Markdown file.
type document struct {
	name    string // path from the root, with slashes
	links   []mention
	spans   []mention // code within a line
	blocks  []block
	prose   []mention // lines outside blocks
	anchors map[string]bool
}

// A mention is a text and its line number, from one.
type mention struct {
	text string
	line int
}

// A block is fenced code.
type block struct {
	language string
	lines    []mention
}

var (
	fence    = regexp.MustCompile("^\\s*(```+|~~~+)\\s*([\\w-]*)")
	heading  = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	codeSpan = regexp.MustCompile("`+([^`]+)`+")
	link     = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\s*\[[^\]]+\]:\s+(\S+)|(?:src|href)="([^"]+)"`)
	linkText = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// parse parses a Markdown file.
func parse(name, text string) *document {
	d := &document{name: name, anchors: map[string]bool{}}
	end := "" // of the block that is open
	times := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		onLine := func(s string) mention { return mention{s, i + 1} }
		if m := fence.FindStringSubmatch(line); m != nil && end == "" {
			end = m[1]
			d.blocks = append(d.blocks, block{language: m[2]})
			continue
		} else if m != nil && m[2] == "" && strings.HasPrefix(m[1], end) {
			end = ""
			continue
		}
		if end != "" {
			b := &d.blocks[len(d.blocks)-1]
			b.lines = append(b.lines, onLine(line))
			continue
		}
		d.prose = append(d.prose, onLine(line))
		if m := heading.FindStringSubmatch(line); m != nil {
			a := anchor(m[1])
			if n := times[a]; n > 0 {
				d.anchors[fmt.Sprintf("%s-%d", a, n)] = true
			} else {
				d.anchors[a] = true
			}
			times[a]++
		}
		for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
			d.spans = append(d.spans, onLine(strings.TrimSpace(m[1])))
		}
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, "code"), -1) {
			d.links = append(d.links, onLine(m[1]+m[2]+m[3]))
		}
	}
	return d
}

// anchor returns the anchor that GitHub gives to a heading.
func anchor(heading string) string {
	heading = linkText.ReplaceAllString(heading, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
