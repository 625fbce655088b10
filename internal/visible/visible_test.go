package visible

import "testing"

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
