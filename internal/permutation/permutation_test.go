package permutation

import "testing"

func TestCheck(t *testing.T) {
	seen := make([]bool, 3)
	for _, c := range []struct {
		perm []int
		want string
	}{
		{[]int{2, 0, 1}, ""},
		{[]int{0, 1}, "found 2 entries, expected one for each of 3 items"},
		{[]int{0, 3, 1}, "found item 4 at position 2, expected 1 to 3"},
		{[]int{0, -1, 1}, "found item 0 at position 2, expected 1 to 3"},
		{[]int{0, 1, 0}, "found item 1 again at position 3, expected each item once"},
	} {
		got := ""
		if err := Check(c.perm, seen); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: error %q, want %q", c.perm, got, c.want)
		}
	}
	if err := Check(Identity(3), seen); err != nil {
		t.Error(err)
	}
}
