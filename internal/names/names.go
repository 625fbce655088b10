// Package names matches names of items and columns of several files: the same text first, then the same characters
// in another Unicode form. It proposes what looks alike, and takes nothing that only looks alike.
package names

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A Key is what of a name is compared.
type Key func(name string) string

// Exact compares the whole text.
func Exact(name string) string { return name }

// Canonical compares characters, such as é, whatever their Unicode form.
func Canonical(name string) string { return norm.NFC.String(name) }

// An Index finds names among distinct others, by one key after the other. It is safe for concurrent use.
type Index struct {
	names     []string
	keys      []Key
	positions []map[string]int // by key; several: more than one name
}

// several stands for names with the same key.
const several = -1

// NewIndex returns the index of names by Exact, Canonical and the extra keys.
func NewIndex(names []string, extraKeys ...Key) *Index {
	x := &Index{names: names, keys: append([]Key{Exact, Canonical}, extraKeys...)}
	var last []string
	for k, key := range x.keys {
		keys := mapped(names, key)
		if k > 0 && slices.Equal(keys, last) { // as for most names
			x.positions = append(x.positions, x.positions[k-1])
			continue
		}
		positions := make(map[string]int, len(keys))
		for i, key := range keys {
			if _, twice := positions[key]; twice {
				i = several
			}
			positions[key] = i
		}
		x.positions, last = append(x.positions, positions), keys
	}
	return x
}

// Find returns the position of a name and the number of the key that found it, from 0 for Exact. It returns false if no
// name has the first key that any name has, or several do.
func (x *Index) Find(name string) (position, key int, ok bool) {
	for k, keyOf := range x.keys {
		if position, ok := x.positions[k][keyOf(name)]; ok {
			return position, k, position != several
		}
	}
	return several, 0, false
}

// Match returns the position in the index of each of some distinct names, -1 if there is none, and whether it is written
// in another Unicode form. Of several names with one position, the first key wins; if they have the same, none does.
func (x *Index) Match(names []string) (positions []int, otherForm []bool) {
	type use struct{ key, count int }
	positions, otherForm = make([]int, len(names)), make([]bool, len(names))
	keys, uses := make([]int, len(names)), map[int]use{} // by position, the first key and the names that it found
	for i, name := range names {
		var ok bool
		if positions[i], keys[i], ok = x.Find(name); !ok {
			positions[i] = several
			continue
		}
		switch u, used := uses[positions[i]]; {
		case !used || keys[i] < u.key:
			uses[positions[i]] = use{keys[i], 1}
		case keys[i] == u.key:
			u.count++
			uses[positions[i]] = u
		}
	}
	for i, name := range names {
		if positions[i] != several && uses[positions[i]] != (use{keys[i], 1}) {
			positions[i] = several
		}
		otherForm[i] = positions[i] != several && keys[i] > 0 && isCanonical(name) != isCanonical(x.names[positions[i]])
	}
	return positions, otherForm
}

func isCanonical(name string) bool { return norm.NFC.IsNormalString(name) }

// Alike returns the candidate that names[i] may mean: the same number, such as 101.0 for 101, or the same
// text apart from case, from compatible characters such as ligatures, or from a prefix that all names of a list share.
func Alike(names []string, i int, candidates []string) (string, bool) {
	for _, key := range []func(names []string) []string{numbers, folded, Stems} {
		keys := key(candidates)
		keysOfNames := key(names)
		if keys == nil || keysOfNames == nil || keysOfNames[i] == "" {
			continue
		}
		if position, _, ok := NewIndex(keys).Find(keysOfNames[i]); ok {
			return candidates[position], true
		}
	}
	return "", false
}

// numbers returns names that are numbers in one form, and "" for others.
func numbers(names []string) []string {
	return mapped(names, func(name string) string {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || !(math.Abs(v) < 1<<53) { // larger ones lose digits
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	})
}

// folded returns names without differences in case and compatible characters.
func folded(names []string) []string {
	return mapped(names, func(name string) string { return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name))) })
}

// Stems returns the names without the prefix that all share, nil if nothing remains of one. Numbers
// keep their first digits.
func Stems(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	prefix := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = prefix[:len(prefix)-len(beginsNumber.FindString(prefix))]
	for _, name := range names {
		if name == prefix {
			return nil
		}
	}
	return mapped(names, func(name string) string { return name[len(prefix):] })
}

// beginsNumber matches the beginning of a number at the end of a prefix.
var beginsNumber = regexp.MustCompile(`^[-+.]$|(^[-+])?[0-9][0-9.]*$`)

func mapped(names []string, key func(name string) string) []string {
	made := make([]string, len(names))
	for i, name := range names {
		made[i] = key(name)
	}
	return made
}
