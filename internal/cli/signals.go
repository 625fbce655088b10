package cli

// Signals: how people and machines stop what takes long.

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible returns a context that is done when a signal asks the program to
// stop. A second signal ends it at once. Until stop is called, a reader of the
// progress that has gone is no reason to end: the results are wanted all the same.
func interruptible() (ctx context.Context, stop func()) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, release := signal.NotifyContext(context.Background(), signals...)
	signal.Ignore(syscall.SIGPIPE)
	context.AfterFunc(ctx, release)
	return ctx, func() {
		signal.Reset(syscall.SIGPIPE)
		release()
	}
}
