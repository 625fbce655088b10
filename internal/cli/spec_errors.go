package cli

// Errors about a spec speak of its keys; who gave flags is told of flags.

import (
	"regexp"
	"slices"
	"strings"
)

// renamedError is an error in which keys of a spec are called by their flags.
type renamedError struct {
	error
	text string
}

func (e renamedError) Error() string { return e.text }
func (e renamedError) Unwrap() error { return e.error }

// rename calls the keys in an error by their flags, but those that are left to a spec
// from a file. Arguments of the command line are names of files even if they look like
// keys.
func (all *specFlags) rename(err error, args []string) error {
	if err == nil || !all.laid {
		return err
	}
	text := word.ReplaceAllStringFunc(err.Error(), func(key string) string {
		if name := all.flagOf(key); name != "" && !slices.Contains(args, key) {
			return "--" + name
		}
		return key
	})
	if text == err.Error() {
		return err
	}
	return renamedError{err, text}
}

// word matches what may be a key, whole names of files and what stands in quotes too.
var word = regexp.MustCompile(`[\w./"-]+`)

// flagOf returns the name of the flag that a key was given by, or could have been if
// there is no other place for it; "" if there is none.
func (all *specFlags) flagOf(path string) string {
	if path == permutationPath+".kind" && all.given(orderPath) {
		path = orderPath // which implies the kind
	}
	if all.names[path] == "" && strings.HasPrefix(path, permutationPath+".") {
		path = permutationPath
	}
	if all.onFile && !slices.ContainsFunc(all.set, func(set specChange) bool { return set.path == path }) {
		return ""
	}
	return all.names[path]
}
