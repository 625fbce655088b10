package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// outputVerbs are the verbs with output flags, each with the arguments of a command that reads
// the data, or a run of them.
var outputVerbs = map[string][]string{
	"aibd check":          {"run"},
	"aibd compare":        {"run", "other"},
	"aibd estimate":       {"run"},
	"aibd plot":           {"run", "trace"},
	"aibd predict":        {"run", "new.csv"},
	"aibd prior features": {"--prior", "aibd"},
	"aibd prior predict":  {"run"},
	"aibd prior sharing":  {},
	"aibd report":         {"run", "other"},
	"aibd sharing":        {"run"},
	"aibd summary":        {"run"},
}

// TestOutputsThatAreInputs gives each output flag of each verb every file that the verb reads, by
// its name, by a symbolic link and by a hard link. A verb that cannot write a file prints no result.
func TestOutputsThatAreInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) error { return Run(args, strings.NewReader(""), io.Discard, io.Discard) }
	content := map[string]string{
		"x.csv":    "id,a,b\nu,1,2\nv,2,1\nw,3,5\nx,4,3\ny,6,6\nz,8,1\n",
		"side.csv": "id,age\nu,1\nv,2\nw,3\nx,4\ny,5\nz,6\n",
		"held.csv": "item,variable\nu,a\n",
		"new.csv":  "id,a,b\nnew,1,2\n",
		"z.txt":    "1\n0\n0\n1\n1\n0\n",
	}
	for name, text := range content {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	distances := []string{"--side", "side.csv", "--distance", "absolute:age"}
	for _, dir := range []string{"run", "other"} {
		if err := run(slices.Concat([]string{"fit", "x.csv"}, distances, []string{"--set", "data.holdout_file=held.csv", "--set", "sampler.init=z.txt",
			"--chains", "1", "--warmup", "5", "--draws", "5", "--quiet", "--out", dir})...); err != nil {
			t.Fatal(err)
		}
	}
	var spec bytes.Buffer
	if err := Run([]string{"fit", "--spec", "run/run.json", "--print-spec"}, strings.NewReader(""), &spec, io.Discard); err != nil {
		t.Fatal(err)
	}
	content["run.toml"] = spec.String()
	if err := os.WriteFile("run.toml", spec.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"run/run.json", "run/chain-1/draws-00001.parquet"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		content[file] = string(b)
	}
	seen := map[string]bool{}
	refuses := func(in string, args ...string) {
		t.Helper()
		// Names that any kind of output may have.
		for _, out := range []string{in, "soft.svg", "hard.svg"} {
			switch out {
			case "soft.svg":
				if err := os.Symlink(in, out); err != nil {
					t.Fatal(err)
				}
			case "hard.svg":
				if err := os.Link(in, out); err != nil {
					t.Fatal(err)
				}
			}
			args[len(args)-1] = out
			err := run(args...)
			if err == nil || Status(err) != 2 || !strings.Contains(err.Error(), out+": found the input "+in) {
				t.Errorf("aibd %s: %v", strings.Join(args, " "), err)
			}
			if got, err := os.ReadFile(in); err != nil || string(got) != content[in] {
				t.Fatalf("aibd %s: changed %s: %v", strings.Join(args, " "), in, err)
			}
			if out != in {
				os.Remove(out)
			}
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			walk(child)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			writes := strings.HasPrefix(f.Usage, "Write ") || strings.HasPrefix(f.Usage, "Draw ") || strings.HasPrefix(f.Usage, "The `file` to write")
			if name == "file" && f.Value.Type() == "string" && writes != isOutput(f) {
				t.Errorf("%s --%s: writes %v, is an output %v", c.CommandPath(), f.Name, writes, isOutput(f))
			}
			if !isOutput(f) {
				return
			}
			verb := c.CommandPath()
			args, ok := outputVerbs[verb]
			if !ok {
				t.Errorf("%s --%s: not tested", verb, f.Name)
				return
			}
			seen[verb] = true
			args = append(strings.Fields(verb)[1:], args...)
			ins := []string{"x.csv", "side.csv", "held.csv", "z.txt", "run/run.json", "run/chain-1/draws-00001.parquet"}
			if strings.HasPrefix(verb, "aibd prior") && verb != "aibd prior predict" {
				args, ins = slices.Concat(args, []string{"x.csv"}, distances), []string{"x.csv", "side.csv"}
			}
			if verb == "aibd predict" {
				ins = append(ins, "new.csv")
			}
			for _, in := range ins {
				refuses(in, append(slices.Clone(args), "--"+f.Name, "")...)
			}
			var out bytes.Buffer
			want := "--" + f.Name + " none/x.svg: found no directory none"
			if err := Run(append(slices.Clone(args), "--"+f.Name, "none/x.svg"), strings.NewReader(""), &out, io.Discard); err == nil || !strings.HasPrefix(err.Error(), want) || out.Len() > 0 {
				t.Errorf("found the error %v and the result %q, expected the error %q alone", err, &out, want)
			}
			if c.Flags().Lookup("spec") != nil {
				for _, in := range []string{"x.csv", "run.toml"} {
					refuses(in, append(strings.Fields(verb)[1:], "--spec", "run.toml", "--"+f.Name, "")...)
				}
			}
		})
	}
	walk(Command())
	for verb := range outputVerbs {
		if !seen[verb] {
			t.Errorf("%s: has no output flag", verb)
		}
	}
	// Outputs that no flag names, or in part.
	if err := os.Link("run/chain-1/draws-00001.parquet", "old.rds"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("pictures", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"trace.svg", filepath.Join("pictures", "trace.svg")} {
		if err := os.Link("x.csv", link); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"export", "run", "x.csv"}, {"export", "run", "old.rds"}, {"plot", "run", "trace"}, {"plot", "run", "all", "--out", "pictures"}} {
		if err := run(args...); err == nil || Status(err) != 2 || !strings.Contains(err.Error(), ": found the input ") {
			t.Errorf("aibd %s: %v", strings.Join(args, " "), err)
		}
	}
	// Another output may be replaced, also one in the directory of the run.
	for range 2 {
		for _, args := range [][]string{{"sharing", "run", "--csv", "run/pairs.csv"}, {"report", "run"}} {
			if err := run(args...); err != nil {
				t.Errorf("aibd %s: %v", strings.Join(args, " "), err)
			}
		}
	}
}
