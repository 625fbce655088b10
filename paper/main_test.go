package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// call runs a command line in the current directory.
func call(args string) (status int, stdout, stderr string) {
	var out, log bytes.Buffer
	status = run(strings.Fields(args), &out, &log)
	return status, out.String(), log.String()
}

func TestRun(t *testing.T) {
	t.Setenv("AIBD_DATA", "")
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, stdout, stderr string }{
		{"", `(?m)^states  .*Similarity and proximity of five states$`, `^$`},
		{"", `(?m)^application  .*missing input$`, `^$`},
		{"", `socr\.umich\.edu`, `^$`},
		{"sharing states --quick --quiet", `^reproduction/index\.html\n$`, `^$`},
		// An exhibit that exists is not made again without --again.
		{"sharing --quick", `index\.html`, `^sharing: up to date, in .* quick\n$`},
		{"sharing --quick --again", `index\.html`, `(?m)^sharing: made in .* quick$`},
		{"", `(?m)^sharing  .*made, quick$`, `^$`},
		// Another size is another exhibit.
		{"sharing", `index\.html`, `(?m)^sharing: made in \d+\.\d s on \d+ cores?$`},
	} {
		status, stdout, stderr := call(c.args)
		if status != 0 || !regexp.MustCompile(c.stdout).MatchString(stdout) || !regexp.MustCompile(c.stderr).MatchString(stderr) {
			t.Errorf("paper %s: found the status %d and\n%s%s\nexpected %s and %s", c.args, status, stdout, stderr, c.stdout, c.stderr)
		}
	}
	for file, want := range map[string]string{
		"states.svg": "", "states.png": "", "states-similarity.csv": "",
		"sharing.csv": `(?m)^New Hampshire – Iowa,0.5389611719907\d*,0.6465666115783\d*,0.7148023229532\d*$`,
		"index.html":  `the paper prints 0.72\. The exact value is 0.7148`,
	} {
		content, err := os.ReadFile("reproduction/" + file)
		if err != nil || !regexp.MustCompile(want).Match(content) {
			t.Errorf("%s: %v, expected %s", file, err, want)
		}
		if file == "index.html" && regexp.MustCompile(`(src|href)=.?https?:`).Match(content) {
			t.Error("the page loads files from elsewhere")
		}
	}
}

// An error is one line.
func TestErrors(t *testing.T) {
	t.Setenv("AIBD_DATA", "")
	t.Chdir(t.TempDir())
	write := func(name, content string) {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("broken", 0o777); err != nil {
		t.Fatal(err)
	}
	write("broken/states.json", "states")
	write("other.csv", "subject,group,age\n1,AD,70\n")
	write("taken", "")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"shering", 2, `unknown exhibit "shering", did you mean "sharing"?`},
		{"--all states", 2, "found both states and --all, expected one"},
		{"--fast", 2, "unknown flag: --fast"},
		{"states --prepare", 1, "--prepare: found no runs to write, expected an exhibit of the application with its input files"},
		{"application --alzheimers none.csv", 1, "none.csv: no such file or directory"},
		{"states application", 1, "application: missing the Alzheimer's file (--alzheimers), an extract of the UCLA SOCR data page SOCR_Data_July2009_ID_NI, http://wiki.socr.umich.edu/index.php/SOCR_Data_July2009_ID_NI"},
		{"people --alzheimers other.csv", 1, "people: missing a file of inferred people (--people) with the columns id and inferred_person"},
		{"states --out taken", 1, "taken: not a directory"},
		{"--out broken", 1, "broken/states.json: invalid character 's' looking for beginning of value"},
	} {
		status, stdout, stderr := call(c.args)
		if want := "paper: " + c.want + "\n"; status != c.status || stderr != want {
			t.Errorf("paper %s: found the status %d and\n%s%s\nexpected %d and\n%s", c.args, status, stdout, stderr, c.status, want)
		}
	}
}
