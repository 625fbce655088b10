package cli

// Errors about a spec speak of its keys; who gave flags is told of flags.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// renamedError is an error in which keys of a spec are called by their flags.
type renamedError struct {
	error
	text string
}

func (e renamedError) Error() string { return e.text }
func (e renamedError) Unwrap() error { return e.error }

// rename calls the keys in an error by their flags, but those that are left to a spec
// from a file. What is given, names of files mostly, stays as it is even if it looks
// like a key.
func (all *specFlags) rename(err error, given []string) error {
	if err == nil || !all.laid {
		return err
	}
	given = slices.DeleteFunc(given, func(text string) bool { return all.named(text) == text })
	text := ""
	for rest := err.Error(); rest != ""; {
		at, end := len(rest), len(rest)
		for _, g := range given {
			if i := strings.Index(rest, g); i >= 0 && (i < at || i == at && i+len(g) > end) {
				at, end = i, i+len(g)
			}
		}
		text += all.named(rest[:at]) + rest[at:end]
		rest = rest[end:]
	}
	if text == err.Error() {
		return err
	}
	return renamedError{err, text}
}

// named returns a text with its keys called by their flags.
func (all *specFlags) named(text string) string {
	return word.ReplaceAllStringFunc(text, func(key string) string {
		if name := all.flagOf(key); name != "" {
			return "--" + name
		}
		return key
	})
}

// givenTexts returns the arguments of a command and the values of its flags, those of
// lists one by one too.
func givenTexts(c *cobra.Command, args []string) []string {
	given := slices.Clone(args)
	c.Flags().Visit(func(f *pflag.Flag) {
		given = append(given, f.Value.String())
		given = append(given, strings.Split(f.Value.String(), ",")...)
	})
	return given
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
