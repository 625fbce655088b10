package cli

// aibd serve: runs in a browser.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/serve"
)

// defaultPort spells aibd on the keys of a telephone.
const defaultPort = 2423

// pageCheckpoint is the number of seconds of sampling after which a chain is saved while its
// page is open: the page shows what is saved.
const pageCheckpoint = 2

// pageOptions are the flags of the verbs that serve pages.
type pageOptions struct {
	port int
	open bool
}

func (o *pageOptions) add(c *cobra.Command) {
	c.Flags().IntVar(&o.port, "port", defaultPort, "Port of the page on this machine; 0, or if the default is in use: a free one.")
	c.Flags().BoolVar(&o.open, "open", false, "Open the page in the browser.")
}

func newServe() *cobra.Command {
	var o pageOptions
	c := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show runs in a browser, also while they are sampled",
		Long: `Prints the address of a page that lists the runs in DIR, by default the working
directory, and up to four directories below it. The page of a run shows its traces, R-hat and
ESS while it is sampled, and what was found when it is not. Stop does what ^C does to the
process that samples the run; Resume does what aibd resume does. ^C ends the page and stops the
runs that it resumed: they keep all draws.

The page needs no network. Only programs of this machine can reach it, and other sites in
the browser cannot. It reads no file outside DIR: with data elsewhere, its verdict does not
cover fitted values.`,
		Example: `  # The runs below the working directory
  aibd serve

  # Sample a run and watch it
  aibd fit --serve --out watched`,
		Args: wants(0, 1, "at most one DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := interruptible()
			defer stop()
			l, err := o.listen(c)
			if err != nil {
				return err
			}
			_, wait, err := o.start(ctx, c, l, serve.Options{Dir: append(args, ".")[0]}, "")
			if err != nil {
				return err
			}
			return wait()
		},
	}
	o.add(c)
	return c
}

// listen takes the port.
func (o pageOptions) listen(c *cobra.Command) (net.Listener, error) {
	if o.port < 0 || o.port > 65535 {
		return nil, usageError{fmt.Errorf("--port: found %d, expected 0 to 65535", o.port)}
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(o.port))
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE) && !c.Flags().Changed("port"):
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
			return l, nil
		}
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("--port: another program uses port %d, expected a free one", o.port)
	}
	return nil, fmt.Errorf("--port: %w", err)
}

// start serves on a listener until ctx is done, and prints the address of the given page. The
// caller waits for the end of the server.
func (o pageOptions) start(ctx context.Context, c *cobra.Command, l net.Listener, of serve.Options, page string) (s *serve.Server, wait func() error, err error) {
	of.Spec, of.Describe, of.Log = specLine, describeRun, c.ErrOrStderr()
	if program, err := os.Executable(); err == nil {
		of.Resume = []string{program, "resume", "--checkpoint", strconv.Itoa(pageCheckpoint), "--"}
	}
	if s, err = serve.New(of); err != nil {
		l.Close()
		return nil, nil, err
	}
	address := "http://" + l.Addr().String() + "/" + page
	fmt.Fprintln(c.OutOrStdout(), address)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	if o.open {
		if err := browser.OpenURL(address); err != nil {
			tell(c.ErrOrStderr(), "cannot open a browser: "+err.Error())
		}
	}
	return s, func() error { return <-ended }, nil
}

// specLine returns the spec of a run in a line.
func specLine(run *runs.Run) string {
	s := run.Spec.Sampler
	return fmt.Sprintf("%s, %d x %d; %s; %s of %s, seed %d", run.Spec.Data.Source(), run.Data.N, run.Data.D,
		run.Spec.ModelName(), plural(s.Chains, "chain"), plural(s.Draws, "draw"), s.Seed)
}

// describeRun returns what aibd summary says of a run.
func describeRun(run *runs.Run) (*serve.Description, error) {
	j, err := results.Judge(run)
	if err != nil {
		return nil, err
	}
	s := j.Summary()
	d := &serve.Description{Agreed: s.Agreed, Verdict: []string{s.Line()}, Note: s.Note, Commands: s.Try, Found: s.Found}
	if run.Next() != nil {
		round := run.Spec.Sampler.Round
		j.AddNotes(fmt.Sprintf("round %d is not complete: this is about round %d", round+1, round))
	}
	if s.Looks != "" {
		d.Verdict = append(d.Verdict, s.Looks)
	}
	gallery := picture.NewGallery(j)
	d.Pictures = lists.Of(picture.Kinds, func(k picture.Kind) string { return k.Shows })
	d.Draw = func(n int) ([]byte, error) {
		f, err := gallery.Draw(picture.Kinds[n])
		if err != nil {
			f = figure.Message(err.Error())
		}
		return f.Encode("svg")
	}
	if s.Missing != nil {
		d.Found = append(d.Found, fmt.Sprintf("X was not read, so the verdict does not cover fitted values: %v.", s.Missing))
	}
	return d, nil
}

// sample samples a run and shows its page on a listener, which stays until a signal. The page
// can stop the sampling.
func (o pageOptions) sample(c *cobra.Command, l net.Listener, run *runs.Run, sampling samplingOptions) error {
	if !c.Flags().Changed("checkpoint") {
		sampling.checkpoint = pageCheckpoint
	}
	ctx, stop := interruptible()
	defer stop()
	also := lists.Of(run.Data.Sources, func(s model.Source) string { return s.File })
	serving, end := context.WithCancel(context.Background())
	defer end()
	s, wait, err := o.start(serving, c, l, serve.Options{Dir: run.Dir, Also: also}, "run?run=.")
	if err != nil {
		run.Close()
		return err
	}
	byPage, stopByPage := context.WithCancel(c.Context())
	defer stopByPage()
	defer context.AfterFunc(ctx, stopByPage)() // ^C before the sampling waits for it
	c.SetContext(byPage)
	ended := s.Sampling(".", stopByPage)
	sampled := sampling.sample(c, run)
	ended()
	if stays := sampled == nil || errors.Is(sampled, errDisagree) || byPage.Err() != nil; stays && ctx.Err() == nil {
		fmt.Fprintln(c.ErrOrStderr(), "The page stays until ^C.")
		<-ctx.Done()
	}
	end()
	return errors.Join(sampled, wait())
}
