package words

import "testing"

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Count(0): "0", Count(999): "999", Count(1000): "1,000", Count(12345678): "12,345,678",
		Plural(1, "item"): "1 item", Plural(0, "draw"): "0 draws", Plural(2000, "scan"): "2000 scans",
		And(nil): "", And([]string{"a"}): "a", And([]string{"b", "c"}): "b and c", And([]string{"d", "e", "f"}): "d, e and f",
	} {
		if got != want {
			t.Errorf("found %q, expected %q", got, want)
		}
	}
}
