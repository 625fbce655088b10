package similarity

// The error for a name that is not known, with the nearest one that is.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Unknown returns the error for a name of the given kind ("decay", "column")
// that is not among the known ones. It proposes the nearest known name if it is
// a likely misspelling, which is up to a third of the letters apart whatever the
// case, and otherwise lists up to ten of the known names.
func Unknown(kind, name string, known []string) error {
	apart := func(k string) int {
		return levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k))
	}
	if len(known) > 0 {
		nearest := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(apart(a), apart(b)) })
		if 3*apart(nearest) <= max(len([]rune(nearest)), 3) {
			return fmt.Errorf("unknown %s %q, did you mean %q?", kind, name, nearest)
		}
	}
	list := strings.Join(known[:min(len(known), 10)], ", ")
	if len(known) > 10 {
		list += fmt.Sprintf(" and %d more", len(known)-10)
	}
	return fmt.Errorf("unknown %s %q, expected one of %s", kind, name, list)
}
