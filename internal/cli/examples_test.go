package cli

// The examples in the help of every verb, run as they stand, with shorter chains and budgets.

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"aibd/internal/oracle/fixture"
)

// slowExamples are verbs whose examples take most of the time. The short form leaves them out.
var slowExamples = []string{"compare", "export", "fit", "plot", "report", "slurm"}

func TestExamples(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.HasExample() && (*fixture.Long || !slices.Contains(slowExamples, c.Name())) {
			t.Run(strings.ReplaceAll(c.CommandPath(), " ", "-"), func(t *testing.T) { runExample(t, c.Example) })
		} else if !c.HasExample() && c.Runnable() && !c.Hidden {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(Command())
}

// runExample runs the lines of an example one after the other in one directory, in the process of
// the test where no shell is needed.
func runExample(t *testing.T, example string) {
	dir := t.TempDir()
	t.Chdir(dir)
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.Contains(line, "serve") { // until ^C, which interrupts the fit
			status, args := 0, append(strings.Fields(line)[1:], "--port", "0")
			if args[0] == "fit" {
				status, args = 130, append(args, "--draws", "1000000")
			}
			_, stop := started(t, dir, status, args...)
			stop()
			continue
		}
		short := line
		if (strings.HasPrefix(line, "aibd fit") || strings.HasPrefix(line, "aibd compare --")) && !strings.Contains(line, "--print-spec") && !strings.Contains(line, "--help") {
			short += " --chains 2 --warmup 2 --draws 4"
		}
		if strings.Contains(line, "--more") {
			short += " --more 6"
		}
		if strings.HasPrefix(line, "aibd compare") && strings.Contains(line, "--budget") {
			short += " --budget 500ms" // it fails without all its draws
		} else if strings.Contains(line, "--budget") {
			short += " --budget 20ms"
		}
		if strings.HasPrefix(short, "aibd") && !strings.ContainsAny(short, `'"|>#`) {
			call(t, strings.Fields(short)[1:]...)
			continue
		}
		c := exec.CommandContext(t.Context(), "sh", "-c", "exec "+short)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}
