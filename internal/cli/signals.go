package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

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
