package results

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNumberAsJSON(t *testing.T) {
	got, err := json.Marshal([]Number{1.5, Number(math.Inf(1)), Number(math.Inf(-1)), Number(math.NaN())})
	if want := "[1.5,1.7976931348623157e+308,-1.7976931348623157e+308,null]"; err != nil || string(got) != want {
		t.Errorf("found %s, %v, expected %s", got, err, want)
	}
}
