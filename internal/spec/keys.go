package spec

// The keys of specs, for the error about one that does not exist.

import (
	"reflect"
	"strings"

	"aibd/similarity"
)

// fieldOf returns the type of the value at a key of the struct type t.
func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	for f := range t.Fields() {
		if f.Tag.Get("json") == key {
			return f.Type, true
		}
	}
	return nil, false
}

// unknownKey returns the error about the first key of path, read from t
// downwards, that does not exist. There must be one.
func unknownKey(t reflect.Type, path []string) error {
	for i, key := range path {
		below, ok := fieldOf(t, key)
		if ok {
			t = below
			continue
		}
		kind := "key"
		if i > 0 {
			kind += " of " + strings.Join(path[:i], ".")
		}
		var known []string
		for f := range t.Fields() {
			known = append(known, f.Tag.Get("json"))
		}
		return similarity.Unknown(kind, key, known)
	}
	panic("spec: every key of " + strings.Join(path, ".") + " exists")
}
