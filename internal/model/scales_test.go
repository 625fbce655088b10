package model

import (
	"strings"
	"testing"
)

// TestAnswers: questions that share their answers come with the option that takes them, in the order of a common scale.
func TestAnswers(t *testing.T) {
	const answers = "1,30,agree,Neutral,agree\n2,40,Neutral,disagree,agree\n3,25,disagree,agree,disagree\n4,31,agree,agree,Neutral\n5,29,disagree,Neutral,agree\n6,33,agree,disagree,Neutral\n"
	for _, c := range []struct{ text, want string }{
		{"id,age,q1,q2,q3\n" + answers, "q1, q2, q3 have the same kinds of text: --ordinal 'q*=disagree,Neutral,agree' takes them as data, in this order"},
		{"id,q,q1,q2,q3\n" + answers, "q1, q2, q3 have the same kinds of text: --ordinal 'q1=disagree,Neutral,agree,q2=disagree,Neutral,agree,q3=disagree,Neutral,agree' takes them as data, in this order"},
		{"id,age,q1,q2,q3\n" + strings.ReplaceAll(answers, "agree", "b"), "q1, q2, q3 have the same kinds of text: --ordinal 'q*=Neutral,b,disb' takes them as data, if their order is ascending"},
		{"id,age,q1,q2,q3\n" + strings.ReplaceAll(answers, "agree\n", "a town\n"), ""},
	} {
		put(t, "q.csv", c.text)
		got := ""
		for _, note := range build(t, "[data]\nfile = 'q.csv'\n[prior]\nlaw = 'ibp'").Notes {
			if strings.Contains(note, "kinds of text") {
				got = note
			}
		}
		if got != c.want {
			t.Errorf("%s: found %q, expected %q", c.text[:15], got, c.want)
		}
	}
	put(t, "q.csv", strings.ReplaceAll("id,age,q1,q2,q3\n"+answers, ",", ",x"))
	_, err := Load(parse(t, "[data]\nfile = 'q.csv'"))
	wantError(t, err, "q.csv: found no column of numbers, expected at least one (--binary and --ordinal name columns of categories); xq1, xq2, xq3 have the same kinds of text: --ordinal 'xq*=xNeutral,xagree,xdisagree' takes them as data, if their order is ascending")
}
