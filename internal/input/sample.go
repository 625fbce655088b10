package input

// A random sample of the items of the data file.

import (
	"fmt"
	"slices"

	"aibd/dataset"
	"aibd/internal/words"
	"aibd/mcmc"
)

// sampled returns a random sample of the items, in the order of the file, if the spec asks for fewer than
// there are. It depends on their number alone, so that runs of different seeds have the same items.
func (r *reader) sampled(items *dataset.Table) *dataset.Table {
	n, size := items.N(), r.in.Spec.Data.Sample
	if size == 0 || size >= n {
		return items
	}
	rows := mcmc.NewStream(1, fmt.Sprintf("sample of %d", n)).Rand.Perm(n)[:size]
	slices.Sort(rows)
	r.rows = rows
	names := ""
	if items.IDs == nil {
		names = "; they keep their numbers"
	}
	r.note(fmt.Sprintf("a random sample of %s of the %s items of %s, the same for each seed%s (--set data.sample=0 takes all)", words.Count(size), words.Count(n), items.Name, names))
	sample := items.Sample(rows)
	sample.Name = fmt.Sprintf("%s (a sample of %d items)", items.Name, size) // errors count its items
	r.in.Whole = items
	return sample
}
