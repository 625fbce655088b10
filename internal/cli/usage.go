package cli

// The part of the help after the description of a command: usage, examples, verbs, and
// flags by group.

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groupKey is the annotation of a flag that holds the heading of its group.
const groupKey = "aibd-group"

const helpWidth = 100

// usage is the usage function of all commands.
func usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s VERB\n", c.CommandPath())
	} else {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\nVerbs:\n")
		for _, child := range c.Commands() {
			if child.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s  %s\n", c.Commands()[0].NamePadding(), child.Name(), child.Short)
			}
		}
	}
	var headings []string
	groups := map[string]*pflag.FlagSet{}
	c.Flags().SortFlags = false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if f.Name == "help" {
			f.Usage = "Show this help."
		}
		heading := "Flags"
		if h := f.Annotations[groupKey]; len(h) > 0 {
			heading = h[0]
		}
		if f.Name == "help" && groups[heading] == nil && len(headings) > 0 {
			heading = headings[len(headings)-1]
		}
		if groups[heading] == nil {
			groups[heading] = pflag.NewFlagSet("", pflag.ContinueOnError)
			groups[heading].SortFlags = false
			headings = append(headings, heading)
		}
		groups[heading].AddFlag(f)
	})
	for _, h := range headings {
		fmt.Fprintf(&b, "\n%s:\n%s", h, groups[h].FlagUsagesWrapped(helpWidth))
	}
	_, err := io.WriteString(c.OutOrStdout(), b.String())
	return err
}

// inGroup puts the flags that have no heading yet under one in the help.
func inGroup(flags *pflag.FlagSet, heading string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[groupKey] == nil {
			putInGroup(f, heading)
		}
	})
}

// putInGroup puts a flag under a heading in the help.
func putInGroup(f *pflag.Flag, heading string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[groupKey] = []string{heading}
}
