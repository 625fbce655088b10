package cli

// Files that the verbs read and write.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"aibd/internal/figure"
	"aibd/internal/files"
)

// maxRead is the max size of a file that is read whole: a spec, a permutation, an
// allocation.
const maxRead = 1 << 26

// readFile reads a whole file. Errors begin with its name.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, files.Named(path, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err == nil && len(b) > maxRead {
		err = fmt.Errorf("found more than %d MB, expected less", maxRead>>20)
	}
	return b, files.Named(path, err)
}

// writeFile writes an output file, or into the FIFO or device of that name. After ^C the
// file is whole, old or new.
func writeFile(path string, content []byte) error {
	return uninterrupted(func(ctx context.Context) error { return files.Write(ctx, path, content) })
}

// An output is a file that a flag names; nothing is written if its name is empty.
type output struct {
	path    string
	content func() ([]byte, error)
}

// tableOutput is a CSV file.
func tableOutput(path string, make func() table) output {
	return output{path, func() ([]byte, error) { return make().csv(), nil }}
}

// figureOutput is a picture of the kind that the extension names.
func figureOutput(path string, draw func() figure.Figure) output {
	return output{path, func() ([]byte, error) {
		kind, err := figureKind("plot", path)
		if err != nil {
			return nil, err
		}
		return draw().Encode(kind)
	}}
}

// writeOutputs writes output files. It makes the contents of all of them first.
func writeOutputs(all ...output) error {
	all = slices.DeleteFunc(all, func(o output) bool { return o.path == "" })
	contents := make([][]byte, len(all))
	for i, o := range all {
		var err error
		if contents[i], err = o.content(); err != nil {
			return err
		}
	}
	for i, o := range all {
		if err := writeFile(o.path, contents[i]); err != nil {
			return err
		}
	}
	return nil
}

// makeNew makes dir, or if that is empty the first of base, base-2 and so on that does not exist.
func makeNew(dir, base string, make func(dir string) error) error {
	if dir != "" {
		return make(dir)
	}
	for i := 1; ; i++ {
		dir = base
		if i > 1 {
			dir = fmt.Sprintf("%s-%d", base, i)
		}
		if err := make(dir); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// runIn returns the argument if it is the directory of a run, and "" otherwise.
func runIn(args []string) string {
	if len(args) == 1 && isDir(args[0]) {
		return args[0]
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// uninterrupted runs a short task. A signal does not end the program before the task
// has cleaned up.
func uninterrupted(task func(context.Context) error) error {
	ctx, stop := interruptible()
	defer stop()
	err := task(ctx)
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// show prints a result, as JSON or as text.
func show(c *cobra.Command, asJSON bool, result any, text func(io.Writer)) error {
	if asJSON {
		return writeJSON(c.OutOrStdout(), result)
	}
	text(c.OutOrStdout())
	return nil
}

// writeJSON writes one value, indented.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// figureKind returns svg or png, the extension of path, which is the value of a flag.
func figureKind(flag, path string) (string, error) {
	switch kind := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); kind {
	case "svg", "png":
		return kind, nil
	}
	return "", usageError{fmt.Errorf("--%s %s: expected a name that ends in .svg or .png", flag, path)}
}

// checkPlot returns an error if the name of a figure is neither empty nor has the extension of a format.
func checkPlot(path string) error {
	if path == "" {
		return nil
	}
	_, err := figureKind("plot", path)
	return err
}

// saveFigure writes a figure to a file of the kind that its extension names.
func saveFigure(path string, f figure.Figure) error {
	return writeOutputs(figureOutput(path, func() figure.Figure { return f }))
}

// interruptible returns a context that ends when SIGINT, SIGTERM or SIGHUP arrives. A
// second signal ends the program. Signals that the caller of the program ignores, as
// nohup does, stay ignored. Until stop is called, writes to a closed stderr fail
// without a SIGPIPE: the results matter more than the progress.
func interruptible() (ctx context.Context, stop func()) {
	signals := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	if len(signals) == 0 { // which NotifyContext takes for all signals
		return context.WithCancel(context.Background())
	}
	ctx, release := signal.NotifyContext(context.Background(), signals...)
	signal.Ignore(syscall.SIGPIPE)
	context.AfterFunc(ctx, release)
	return ctx, func() {
		signal.Reset(syscall.SIGPIPE)
		release()
	}
}
