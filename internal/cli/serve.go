package cli

// aibd serve: runs in a browser.

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"aibd/internal/lists"
	"aibd/internal/model"
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
process that samples the run. ^C ends the page.

The page needs no network. Only a browser with the printed address can open it: keep the
address to yourself. It reads no file outside DIR: with data elsewhere, its verdict does not
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
			wait, err := o.start(ctx, c, l, serve.Options{Dir: append(args, ".")[0]})
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

// start serves on a listener until ctx is done, and prints the address of the page. The caller waits
// for the end of the server.
func (o pageOptions) start(ctx context.Context, c *cobra.Command, l net.Listener, options serve.Options) (wait func() error, err error) {
	options.Log = c.ErrOrStderr()
	s, err := serve.New(options)
	if err != nil {
		l.Close()
		return nil, err
	}
	address := s.Address(l)
	fmt.Fprintln(c.OutOrStdout(), address)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	remove := func() {}
	if o.open {
		if remove, err = openPage(address); err != nil {
			writeNotes(c.ErrOrStderr(), "cannot open a browser: "+err.Error())
		}
	}
	return func() error {
		defer remove()
		return <-ended
	}, nil
}

// openPage opens an address in the browser by a file that only the user can read: all users can read the
// arguments of a browser. The caller removes the file.
func openPage(address string) (remove func(), err error) {
	f, err := os.CreateTemp("", "aibd-*.html") // with mode 0600
	if err != nil {
		return func() {}, err
	}
	remove = func() { os.Remove(f.Name()) }
	_, err = fmt.Fprintf(f, "<!doctype html><title>aibd</title><meta http-equiv=\"refresh\" content=\"0;url=%s\">\n", html.EscapeString(address))
	if err := errors.Join(err, f.Close()); err != nil {
		return remove, err
	}
	return remove, browser.OpenFile(f.Name())
}

// sample samples a run and shows its page on a listener, which stays until a signal ends ctx. The page
// can stop the sampling.
func (o pageOptions) sample(ctx context.Context, c *cobra.Command, l net.Listener, run *runs.Run, sampling samplingOptions) error {
	if !c.Flags().Changed("checkpoint") {
		sampling.checkpoint = pageCheckpoint
	}
	byPage, stopByPage := context.WithCancel(ctx)
	defer stopByPage()
	also := lists.Map(run.Data.Sources, func(s model.Source) string { return s.File })
	serving, end := context.WithCancel(context.Background())
	defer end()
	wait, err := o.start(serving, c, l, serve.Options{Dir: run.Dir, Also: also, Stop: stopByPage})
	if err != nil {
		run.Close()
		return err
	}
	sampled := sampling.sample(byPage, func() {}, c, run)
	if stays := sampled == nil || errors.Is(sampled, errStrict) || byPage.Err() != nil; stays && ctx.Err() == nil {
		fmt.Fprintln(c.ErrOrStderr(), "The page stays until ^C.")
		<-ctx.Done()
	}
	end()
	return errors.Join(sampled, wait())
}
