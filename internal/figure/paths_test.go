package figure

import "testing"

func TestShortPaths(t *testing.T) {
	for svg, want := range map[string]string{
		`<path d="M0,0L510.24,0L510.24,723.65L0,723.65Z" style="x" />`: `<path d="M0 0l510.24 0 0 723.65-510.24 0z" style="x" />`,
		`<path d="M1.006,-2L1.011,3L4,3" />`:                           `<path d="M1.01-2l0 5 2.99 0" />`, // errors do not add up
		`<path d="M1,1L2,2ZL1,3M5,5L6,7" />`:                           `<path d="M1 1l1 1zl0 2M5 5l1 2" />`,
		`<path d="M1,1L2,2A3,3 0 1 1 4,4Z" />`:                         `<path d="M1,1L2,2A3,3 0 1 1 4,4Z" />`,
		`<text d="M1,1L2,2">`:                                          `<text d="M1,1L2,2">`,
	} {
		if got := string(shortPaths([]byte(svg))); got != want {
			t.Errorf("%s: found %s, expected %s", svg, got, want)
		}
	}
}
