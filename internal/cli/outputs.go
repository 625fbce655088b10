package cli

// Outputs have a directory to be in, and do not replace what a command reads.

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aibd/internal/files"
	"aibd/internal/runs"
	"aibd/internal/spec"
)

// outputKey is the annotation of a flag that names a file to write.
const outputKey = "aibd output"

// outputFlag adds a flag that names a file to write.
func outputFlag(c *cobra.Command, path *string, name, help string) {
	c.Flags().StringVar(path, name, "", help)
	_ = c.Flags().SetAnnotation(name, outputKey, nil) // the flag exists
}

func isOutput(f *pflag.Flag) bool {
	_, ok := f.Annotations[outputKey]
	return ok
}

// checkOutputs returns an error if an output flag of a command names a file that cannot be written, that the command
// reads, or that another flag names.
func checkOutputs(c *cobra.Command, args []string) (err error) {
	var outputs []string
	c.Flags().Visit(func(f *pflag.Flag) {
		path := f.Value.String()
		if err != nil || !isOutput(f) || path == "" {
			return
		}
		path = filepath.Clean(path)
		if slices.Contains(outputs, path) {
			err = usageError{fmt.Errorf("found the output file %s twice, expected different files", path)}
			return
		}
		outputs = append(outputs, path)
		err = checkOutput(c, args, "--"+f.Name+" ", f.Value.String())
	})
	return err
}

// checkOutput returns an error if the directory of an output is missing, or if the output is a file that the command
// reads, by whatever name. The error begins with what and the name of the output.
func checkOutput(c *cobra.Command, args []string, what, path string) error {
	out, err := os.Stat(path)
	if err != nil {
		if dir := filepath.Dir(path); !isDir(dir) {
			return fmt.Errorf("%s%s: found no directory %s, expected one that exists", what, path, dir)
		}
		return nil
	}
	if out.IsDir() && c.Name() != "plot" { // which may write all pictures to a directory
		return fmt.Errorf("%s%s: found a directory, expected another name", what, path)
	}
	if !out.Mode().IsRegular() {
		return nil
	}
	for _, in := range inputs(c, args) {
		if info, err := os.Stat(in); err == nil && os.SameFile(info, out) {
			return usageError{fmt.Errorf("%s%s: found the input %s, expected another file", what, path, in)}
		}
	}
	return nil
}

// inputs returns the names of all files that a command may read, and others: its arguments and
// the values of its flags, the files of their specs, and those of their runs.
func inputs(c *cobra.Command, args []string) []string {
	all := slices.Clone(args)
	specs := slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		return !isDir(arg) && !strings.HasSuffix(arg, ".json")
	})
	c.Flags().Visit(func(f *pflag.Flag) {
		if isOutput(f) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		all = append(all, values...)
		if f.Name == "spec" {
			specs = append(specs, values...)
		}
	})
	if f := c.Flags().Lookup("set"); f != nil {
		all = append(all, f.Value.(*setValue).all.files()...)
	}
	for _, path := range specs {
		if isDir(path) { // of a run
			for _, pattern := range []string{"*.json", "lock", "chain-*/*"} {
				matches, _ := fs.Glob(os.DirFS(path), pattern) // the pattern is good
				for _, name := range matches {
					all = append(all, filepath.Join(path, name))
				}
			}
			path = filepath.Join(path, "run.json")
		}
		if s, _, err := readSpec(path); err == nil { // the command reports the error
			all = append(all, s.Files()...)
		}
	}
	return all
}

// readSpec reads the spec of a run.json, or one in TOML. It returns the notes of runs.ReadSpec.
func readSpec(path string) (s spec.Spec, notes []string, err error) {
	if strings.HasSuffix(path, ".json") {
		return runs.ReadSpec(path, version)
	}
	b, err := files.ReadRegular(files.OS{}, path, maxRead)
	if err != nil {
		return s, nil, err
	}
	s, err = spec.ParseTOML(b, path)
	return s, nil, err
}
