package collapsed

import (
	"fmt"
	"testing"
)

// All assignments of up to five shared columns, to 1e-9 of the log likelihood computed
// afresh. Without P the result is nil.
func TestWeigh(t *testing.T) {
	forEachRow(t, 4, func(t *testing.T, c *Cache, now func() float64) {
		var columns []int
		for k := c.k - 1; k >= 0 && len(columns) < 5; k-- {
			if c.Shared(k) {
				columns = append(columns, k)
			}
		}
		var b Block
		before := now()
		logs := c.Weigh(&b, columns)
		if len(logs) != 1<<len(columns) || logs[0] != 0 {
			t.Fatalf("%d weights, the first %v", len(logs), logs[0])
		}
		flip := func(p int) {
			for j, k := range columns {
				if p>>j&1 != 0 {
					c.Flip(k)
				}
			}
		}
		for p, log := range logs {
			flip(p)
			mustNear(t, fmt.Sprintf("row %d, columns %v, assignment %b", c.row.i, columns, p), before+log, now(), 1e-9)
			flip(p)
		}
	})
}
