package dataset

// Trees of items, as Newick text.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/names"
	"aibd/internal/words"
	"aibd/similarity"
)

// ReadTree reads a tree with branch lengths from Newick text, such as ((a:1,b:1):0.5,c:2);, and
// returns the distances of the items of the table along its branches. Each item is a tip: the name of
// the tip is the id of the item, or its number from 1 if the table has no ids. An underscore is the
// same as a blank, and if nothing else fits, a point too. Tips of no item are left out, with a note. Errors name the line and the column.
func (t *Table) ReadTree(r io.Reader, name string) (m *similarity.Matrix, note string, err error) {
	ids := t.IDs
	if ids == nil {
		ids = words.Numbered("", t.N())
	}
	return ReadTree(r, name, ids, t.Name)
}

// ReadTree is Table.ReadTree for items with distinct ids, of the table with the given name.
func ReadTree(r io.Reader, name string, ids []string, table string) (m *similarity.Matrix, note string, err error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	p := newick{text: bytes.TrimPrefix(text, []byte("\ufeff")), name: name}
	if err := p.parse(); err != nil {
		return nil, "", err
	}
	var nodes []int // the node of each tip
	var tips []string
	for k, n := range p.nodes {
		if n.tip {
			nodes, tips = append(nodes, k), append(tips, n.name)
		}
	}
	order, note, err := matched(name, "tip", ids, table, tipIndex(tips), tips)
	if err != nil {
		return nil, "", cmp.Or(p.twice(ids, nodes), err)
	}
	for i, tip := range order {
		p.nodes[nodes[tip]].items = []reached{{i, 0}}
	}
	between := p.distances(len(ids))
	withoutRounding(between)
	if p.nodes[p.shortest].length < -roundingShare*p.longest {
		note = strings.TrimPrefix(note+"; ", "; ") + fmt.Sprintf("%s: a branch has the length %s: distances are sums along branches", name, p.shortestBranch())
	}
	for i, row := range between {
		if j := slices.IndexFunc(row, func(d float64) bool { return !(d >= 0) }); j >= 0 {
			return nil, "", fmt.Errorf("%s: found the distance %v between the tips %s and %s, expected at least 0; a branch has the length %s", name, row[j], hint.Quoted(ids[i]), hint.Quoted(ids[j]), p.shortestBranch())
		}
		if j := slices.IndexFunc(row, func(d float64) bool { return math.IsInf(d, 1) }); j >= 0 {
			return nil, "", fmt.Errorf("%s: found an infinite distance between the tips %s and %s, expected a finite one", name, hint.Quoted(ids[i]), hint.Quoted(ids[j]))
		}
	}
	if m, err = similarity.NewMatrix(between); err != nil {
		panic("dataset: " + err.Error()) // lengths are at least 0
	}
	return m, note, nil
}

// twice returns an error for a tip that occurs twice and has the name of an item. nodes has the node of each tip.
func (p *newick) twice(ids []string, nodes []int) error {
	items, first := lists.Positions(lists.Map(ids, tipKey)), map[string]int{}
	for _, k := range nodes {
		key := tipKey(p.nodes[k].name)
		if _, isItem := items[key]; !isItem {
			continue
		}
		if before, ok := first[key]; ok {
			return p.errorf(p.nodes[k].pos, "found the tip %s as in %s, expected distinct names", hint.Quoted(p.nodes[k].name), p.place(p.nodes[before].pos))
		}
		first[key] = k
	}
	return nil
}

// LookupTip returns a function that finds the position of a tip among some, as ReadTree matches them.
func LookupTip(tips []string) func(name string) (tip int, ok bool) {
	index := tipIndex(tips)
	return func(name string) (int, bool) {
		tip, _, ok := index.Find(name)
		return tip, ok
	}
}

func tipIndex(tips []string) *names.Index { return names.NewIndex(tips, tipKey, looseKey) }

// tipKey compares names with blanks for underscores, which are the same in a tree.
func tipKey(name string) string { return names.Canonical(strings.ReplaceAll(name, "_", " ")) }

// looseKey compares names with blanks for underscores and points.
func looseKey(name string) string { return strings.ReplaceAll(tipKey(name), ".", " ") }

// newick parses Newick text.
type newick struct {
	text     []byte
	pos      int
	name     string // of the file
	nodes    []branch
	shortest int     // a node
	longest  float64 // length
}

// branch is a node of a tree and the branch to its parent.
type branch struct {
	parent int // -1: the root; parents come before their children
	pos    int // in the text
	tip    bool
	name   string
	length float64
	items  []reached

	lengthAt int // in the text
}

// reached is an item below a node.
type reached struct {
	item     int
	distance float64
}

// distances returns the matrix of the n items.
func (p *newick) distances(n int) [][]float64 {
	rows := lists.Square(n)
	for k := len(p.nodes) - 1; k > 0; k-- {
		child, parent := &p.nodes[k], &p.nodes[p.nodes[k].parent]
		for c := range child.items {
			a := &child.items[c]
			a.distance += child.length
			for _, b := range parent.items {
				d := a.distance + b.distance
				rows[a.item][b.item], rows[b.item][a.item] = d, d
			}
		}
		parent.items, child.items = append(parent.items, child.items...), nil
	}
	return rows
}

// parse reads the nodes. It keeps no recursion: trees may be deep.
func (p *newick) parse() error {
	if bytes.HasPrefix(bytes.ToUpper(p.text[:min(6, len(p.text))]), []byte("#NEXUS")) {
		return p.errorf(0, "found a NEXUS file, expected Newick text such as ((a:1,b:1):0.5,c:2);")
	}
	parent := -1
	for {
		c, err := p.next()
		if err != nil {
			return err
		}
		p.nodes = append(p.nodes, branch{parent: parent, pos: p.pos})
		if c == '(' {
			parent = len(p.nodes) - 1
			p.pos++
			continue
		}
		tip := &p.nodes[len(p.nodes)-1]
		if tip.name, err = p.label(); err != nil {
			return err
		}
		if tip.tip = true; tip.name == "" {
			return p.errorf(p.pos, "found %s, expected the name of a tip or (", p.current())
		}
		if parent, err = p.closed(parent); err != nil || parent == end {
			return err
		}
	}
}

// end is the parent behind the last node.
const end = -2

// closed reads what follows the last node, below the given parent: its length, and the ends of nodes
// with their names and lengths. It returns the parent of the next node, or end.
func (p *newick) closed(parent int) (int, error) {
	node := len(p.nodes) - 1
	for {
		if err := p.readLength(&p.nodes[node]); err != nil {
			return 0, err
		}
		if p.nodes[node].length < p.nodes[p.shortest].length {
			p.shortest = node
		}
		c, err := p.next()
		switch {
		case err != nil:
			return 0, err
		case c == ',' && parent >= 0:
			p.pos++
			return parent, nil
		case c == ')' && parent >= 0:
			p.pos++
			node, parent = parent, p.nodes[parent].parent
			if _, err := p.next(); err != nil {
				return 0, err
			}
			if p.nodes[node].name, err = p.label(); err != nil {
				return 0, err
			}
			continue
		case c == ';' && parent < 0:
			p.pos++
			if c, err = p.next(); err == nil && c != 0 {
				err = p.errorf(p.pos, "found %s, expected the end of the file behind the tree", p.current())
			}
			return end, err
		case parent >= 0:
			return 0, p.errorf(p.pos, "found %s, expected , or the ) of the ( in %s", p.current(), p.place(p.nodes[parent].pos))
		}
		return 0, p.errorf(p.pos, "found %s, expected ; at the end of the tree", p.current())
	}
}

// readLength reads the length of a branch. Only the root may have none.
func (p *newick) readLength(b *branch) error {
	c, err := p.next()
	switch {
	case err != nil:
		return err
	case c != ':' && b.parent < 0:
		return nil
	case c != ':':
		return p.errorf(p.pos, "found %s, expected the length of the branch, such as :0.5", p.current())
	}
	p.pos++
	if _, err := p.next(); err != nil {
		return err
	}
	begin := p.pos
	text, err := p.label()
	if err != nil {
		return err
	}
	v, ok := number(text)
	if !ok || v-v != 0 {
		what := hint.Quoted(text)
		if text == "" {
			what = p.current()
		}
		return p.errorf(begin, "found %s, expected the length of the branch, a finite number", what)
	}
	b.length, b.lengthAt, p.longest = v, begin, max(p.longest, v)
	return nil
}

// shortestBranch returns the length of the shortest branch, and where it is.
func (p *newick) shortestBranch() string {
	b := p.nodes[p.shortest]
	return fmt.Sprintf("%v in %s", b.length, p.place(b.lengthAt))
}

// label reads a name or a number, "" if there is none. Text in single quotes may hold any characters,
// and a quote as two.
func (p *newick) label() (string, error) {
	begin := p.pos
	if p.pos < len(p.text) && p.text[p.pos] == '\'' {
		var b strings.Builder
		for p.pos++; p.pos < len(p.text); p.pos++ {
			if p.text[p.pos] != '\'' {
				b.WriteByte(p.text[p.pos])
			} else if p.pos++; p.pos < len(p.text) && p.text[p.pos] == '\'' {
				b.WriteByte('\'')
			} else {
				return b.String(), nil
			}
		}
		return "", p.errorf(begin, "found no end of the quote, expected a second '")
	}
	for p.pos < len(p.text) && !bytes.ContainsRune([]byte("()[]:;,' \t\r\n"), rune(p.text[p.pos])) {
		p.pos++
	}
	return string(p.text[begin:p.pos]), nil
}

// next skips white space and comments in brackets, and returns the next character, 0 at the end.
func (p *newick) next() (byte, error) {
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; c {
		case ' ', '\t', '\r', '\n':
			p.pos++
		case '[':
			length := bytes.IndexByte(p.text[p.pos:], ']')
			if length < 0 {
				return 0, p.errorf(p.pos, "found no end of the comment, expected ]")
			}
			p.pos += length + 1
		default:
			return c, nil
		}
	}
	return 0, nil
}

// current returns the character at the current position in quotes, or the end of the file.
func (p *newick) current() string {
	if p.pos == len(p.text) {
		return "the end of the file"
	}
	c, _ := utf8.DecodeRune(p.text[p.pos:])
	return hint.Quoted(string(c))
}

// place returns the line and the column of a position.
func (p *newick) place(pos int) string {
	before := p.text[:pos]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(line))
}

func (p *newick) errorf(pos int, format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", p.name, p.place(pos), fmt.Errorf(format, args...))
}
