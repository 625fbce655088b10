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
	names []string
	keys  []Key
	at    []map[string]int // by key; several: more than one name
}

// several stands for names with the same key.
const several = -1

// NewIndex returns the index of names by Exact, Canonical and further keys.
func NewIndex(names []string, further ...Key) *Index {
	x := &Index{names: names, keys: append([]Key{Exact, Canonical}, further...)}
	var last []string
	for k, key := range x.keys {
		keys := mapped(names, key)
		if k > 0 && slices.Equal(keys, last) { // as for most names
			x.at = append(x.at, x.at[k-1])
			continue
		}
		at := make(map[string]int, len(keys))
		for i, key := range keys {
			if _, twice := at[key]; twice {
				i = several
			}
			at[key] = i
		}
		x.at, last = append(x.at, at), keys
	}
	return x
}

// Find returns the position of a name and the number of the key that found it, from 0 for Exact. It returns false if no
// name has the first key that any name has, or several do.
func (x *Index) Find(name string) (at, key int, ok bool) {
	for k, of := range x.keys {
		if at, ok := x.at[k][of(name)]; ok {
			return at, k, at != several
		}
	}
	return several, 0, false
}

// Match returns the position in the index of each of some distinct names, -1 if there is none, and whether it is written
// in another Unicode form. Of several names with one position, the first key wins; if they have the same, none does.
func (x *Index) Match(names []string) (at []int, otherForm []bool) {
	type use struct{ key, count int }
	at, otherForm = make([]int, len(names)), make([]bool, len(names))
	by, uses := make([]int, len(names)), map[int]use{} // by position, the first key and the names that it found
	for i, name := range names {
		var ok bool
		if at[i], by[i], ok = x.Find(name); !ok {
			at[i] = several
			continue
		}
		switch u, used := uses[at[i]]; {
		case !used || by[i] < u.key:
			uses[at[i]] = use{by[i], 1}
		case by[i] == u.key:
			u.count++
			uses[at[i]] = u
		}
	}
	for i, name := range names {
		if at[i] != several && uses[at[i]] != (use{by[i], 1}) {
			at[i] = several
		}
		otherForm[i] = at[i] != several && by[i] > 0 && isCanonical(name) != isCanonical(x.names[at[i]])
	}
	return at, otherForm
}

func isCanonical(name string) bool { return norm.NFC.IsNormalString(name) }

// Alike returns the one of others that may be meant by names[i]: the same number, such as 101.0 for 101, or the same
// text apart from case, from compatible characters such as ligatures, or from a prefix that all names of a list share.
func Alike(names []string, i int, others []string) (string, bool) {
	for _, of := range []func(names []string) []string{numbers, folded, Stems} {
		keys := of(others)
		own := of(names)
		if keys == nil || own == nil || own[i] == "" {
			continue
		}
		if at, _, ok := NewIndex(keys).Find(own[i]); ok {
			return others[at], true
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

func mapped(names []string, of func(name string) string) []string {
	made := make([]string, len(names))
	for i, name := range names {
		made[i] = of(name)
	}
	return made
}
