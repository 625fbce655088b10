package cli

// The examples in the help of every verb, run as they stand, with shorter chains and budgets.

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

func TestExamples(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.HasExample() {
			t.Run(strings.ReplaceAll(c.CommandPath(), " ", "-"), func(t *testing.T) { runExample(t, c.Example) })
		} else if c.Runnable() {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(newRoot())
}

// runExample runs the lines of an example one after the other in one directory, in the process of
// the test where no shell is needed.
func runExample(t *testing.T, example string) {
	dir := t.TempDir()
	if folder := os.Getenv("AIBD_DATA"); folder != "" {
		if content, err := os.ReadFile(filepath.Join(folder, "alzheimers.csv")); err == nil {
			if err := os.WriteFile(filepath.Join(dir, "alzheimers.csv"), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Chdir(dir)
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.Contains(line, "alzheimers.csv") {
			if _, err := os.Stat("alzheimers.csv"); err != nil {
				t.Logf("not run, as the folder AIBD_DATA has no alzheimers.csv: %s", line)
				continue
			}
		}
		short := line
		if (strings.HasPrefix(line, "aibd fit") || strings.HasPrefix(line, "aibd compare --priors")) && !strings.Contains(line, "--print-spec") && !strings.Contains(line, "--help") {
			short += " --chains 2 --warmup 2 --draws 4"
		}
		if strings.Contains(line, "--budget") {
			short += " --budget 20ms"
		}
		short = strings.Replace(short, "reproduce --all", "reproduce sharing", 1) // package reproduce makes all
		if strings.HasPrefix(line, "aibd evidence") || strings.Contains(line, "--evidence") {
			short += " --populations 2 --members 2 --scans 2"
		}
		if strings.HasPrefix(short, "aibd") && !strings.ContainsAny(short, `'"|>#`) && !strings.Contains(line, "serve") {
			call(t, strings.Fields(short)[1:]...)
			continue
		}
		ctx := t.Context()
		if strings.Contains(line, "serve") { // until ^C
			var stop context.CancelFunc
			ctx, stop = context.WithTimeout(ctx, 2*time.Second)
			defer stop()
			short += " --port 0"
		}
		c := exec.CommandContext(ctx, "sh", "-c", "exec "+short)
		c.Cancel = func() error { // with an error of its own, the exit status decides
			return cmp.Or(c.Process.Signal(os.Interrupt), os.ErrProcessDone)
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}
