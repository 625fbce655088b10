package cli

// aibd settings: the keys of --set and of a spec file.

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/hint"
	"aibd/internal/spec"
)

func newSettings() *cobra.Command {
	list := settingsList()
	return &cobra.Command{
		Use:   "settings [KEY...]",
		Short: "List the settings of a fit, with their defaults",
		Long: `Lists the usual settings of aibd fit: the keys of a spec file and of --set KEY=VALUE, with the flag of
those that have one, and the default. With a KEY, or a table such as sampler or prior.mass, explains it in
full, with the settings that are seldom needed. Other verbs have the same keys; their help names other
defaults. With several distances the key of one has its name, as distance.year.temperature.rate; in a
spec file each is a table [[distance]].

` + list,
		Example: `  aibd settings sampler.until
  aibd settings prior.mass`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				fmt.Fprint(c.OutOrStdout(), list)
			}
			return explainSettings(c.OutOrStdout(), args)
		},
	}
}

// settingsList returns a line for each usual setting, by table, and one for a table in a table. It indents them,
// as manual pages do for code.
func settingsList() string {
	var b strings.Builder
	line := func(key, text string) {
		const width = 24
		fmt.Fprintf(&b, "    %-*s%s", width, key, strings.TrimLeft(wrap(text, strings.Repeat(" ", 4+width), helpWidth-4-width), " "))
	}
	table := ""
	for _, s := range spec.Settings() {
		above, help := s.Table()
		switch first := above != table; {
		case first && strings.Contains(above, "."):
			line(above+".*", spec.Synopsis(help))
		case first:
			fmt.Fprintf(&b, "\n%s\n\n", spec.Synopsis(help))
		}
		if table = above; !s.Rare && !strings.Contains(above, ".") {
			line(string(s.Key), strings.TrimSuffix(spec.Synopsis(s.Help), ".")+notes(s)+".")
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// notes returns the flag and the default of a setting in parentheses.
func notes(s spec.Setting) (text string) {
	if hasFlag(s.Key) {
		text = " (--" + s.Flag + ")"
	}
	if s.Default != "" {
		text += " (default " + s.Default + ")"
	}
	return strings.ReplaceAll(text, ") (", ", ")
}

// explainSettings writes all help of the settings at keys or below them.
func explainSettings(w io.Writer, keys []string) error {
	for _, key := range keys {
		text, all := "", []string{}
		for _, s := range spec.Settings() {
			all = append(all, string(s.Key))
			if strings.HasPrefix(string(s.Key)+".", key+".") {
				text += fmt.Sprintf("%s%s\n", s.Key, notes(s))
				for line := range strings.SplitSeq(s.Help+"\nIn R and Python: "+strings.ReplaceAll(s.Flag, "-", "_")+".", "\n") {
					text += wrap(line, "    ", helpWidth-4)
				}
			}
		}
		if text == "" {
			return usageError{hint.Unknown("key", key, all)}
		}
		fmt.Fprint(w, text)
	}
	return nil
}
