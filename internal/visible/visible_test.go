package visible

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"Zürich, 東京 \\ \"x\" 100 %":  "Zürich, 東京 \\ \"x\" 100 %",
		"a\x1b[31mb":                 `a\x1b[31mb`,
		"tab\tline\r\n":              `tab\tline\r\n`,
		"\u009b31m \u202etxt\u200b ": `\u009b31m \u202etxt\u200b `,
		"caf\xe9 \ufffd \x00\x7f":    `caf\xe9 ` + "\ufffd" + ` \x00\x7f`,
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestClipped(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"東京\x1b":                       `東京\x1b`,
		"東京\x1b3":                      `東京\x1b... (8 bytes)`,
		strings.Repeat("x", 1_000_000): "xxx... (1000000 bytes)",
	} {
		if got := Clipped(in, 3); got != want {
			t.Errorf("Clipped(%.9q) = %s, want %s", in, got, want)
		}
	}
}
