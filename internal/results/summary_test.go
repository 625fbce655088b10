package results

import (
	"reflect"
	"testing"

	"aibd/internal/runs"
)

// A chain that proposed nothing of a kernel does not report it. The counts of the other chains stay
// theirs.
func TestTotals(t *testing.T) {
	of := func(kernels ...runs.KernelReport) runs.ChainReport { return runs.ChainReport{Kernels: kernels} }
	rows, sums := runs.KernelReport{Name: "rows", Proposed: 10, Accepted: 1}, runs.KernelReport{Name: "sums", Proposed: 4, Accepted: 3}
	found := totalsOf([]runs.ChainReport{of(rows), of(rows, sums), of(sums)})
	expected := []KernelTotals{{"rows", []int{10, 10, 0}, []int{1, 1, 0}, 0.1}, {"sums", []int{0, 4, 4}, []int{0, 3, 3}, 0.75}}
	if !reflect.DeepEqual(found, expected) {
		t.Errorf("found %v, expected %v", found, expected)
	}
}
