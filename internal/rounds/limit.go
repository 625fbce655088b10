package rounds

// The budget of rounds: a time, or a number of scans, which is the same on every machine.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"aibd/internal/runs"
	"aibd/internal/words"
)

// Limit is how long rounds are begun: the value of --budget.
type Limit struct {
	Total time.Duration // of a number of scans of each chain a second for each; 0: one round
	Scans bool
}

// Default is the time in which rounds are begun by default.
const Default = 5 * time.Minute

// Type is what the help calls the value.
func (l *Limit) Type() string { return "time" }

func (l *Limit) String() string {
	if l.Scans {
		return fmt.Sprintf("%.0fscans", l.Total.Seconds())
	}
	return l.Total.String()
}

// Set takes the value from the command line.
func (l *Limit) Set(text string) error {
	number, scans := strings.CutSuffix(text, "scans")
	if !scans {
		total, err := time.ParseDuration(text)
		*l = Limit{Total: total}
		if err == nil && total < 0 {
			return errors.New("expected at least 0")
		}
		if err != nil {
			return errors.New("expected a time such as 5m, or scans such as 20000scans")
		}
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 0 || n > math.MaxInt64/int(time.Second) {
		return errors.New("expected a number of scans such as 20000scans")
	}
	*l = Limit{time.Duration(n) * time.Second, true}
	return nil
}

// Roughly formats an amount of the budget.
func (l Limit) Roughly(amount time.Duration) string {
	if l.Scans {
		return fmt.Sprintf("%.0f scans of each chain", amount.Seconds())
	}
	return words.Duration(amount.Seconds())
}

// budget is a limit from a start on.
type budget struct {
	Limit
	start time.Time
	made  int // scans of each chain in complete rounds, where the limit is in scans
}

// used returns how much of the budget is used.
func (b budget) used() time.Duration {
	if b.Scans {
		return time.Duration(b.made) * time.Second
	}
	return time.Since(b.start)
}

// left returns what is left, at least 0.
func (b budget) left() time.Duration { return max(0, b.Total-b.used()) }

// rest returns what is left as a limit.
func (b budget) rest() Limit { return Limit{b.left(), b.Scans} }

// rate returns how many scans the chains of a run make while a second of the budget is used.
func (b budget) rate(run *runs.Run) float64 {
	if b.Scans {
		return float64(run.Spec.Sampler.Chains)
	}
	return run.Rate()
}

// line says how much time is left, to end a line of progress.
func (b budget) line() string {
	if left := b.left(); left > 0 {
		return fmt.Sprintf("; %s left of the budget", words.Duration(left.Seconds()))
	}
	return fmt.Sprintf("; the budget is used up; %s left for this round", words.Duration(max(0, b.Total+b.grace()-time.Since(b.start)).Seconds()))
}

// grace is how much longer than the time of the budget a round may take that has begun.
func (b budget) grace() time.Duration { return max(b.Total/2, time.Minute) }

// errUsedUp is the cause of a context that bound canceled.
var errUsedUp = errors.New("the budget is used up")

// bound returns a context that is canceled when the time of the budget is used up and work that starts
// now will not end within the grace, by the rate at which done grows to all. A budget of 0 or of scans
// bounds nothing. The caller must call stop.
func (b budget) bound(ctx context.Context, done func() int, all int) (bounded context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop = func() { cancel(nil) }
	if b.Total == 0 || b.Scans {
		return ctx, stop
	}
	go func() {
		start, from := time.Now(), done()
		for wait := max(b.left(), time.Second); ; wait = time.Second {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			took, rest := time.Since(b.start), 0.0
			if now := done(); now > from {
				rest = float64(all-now) / float64(now-from) * time.Since(start).Seconds()
			}
			if took >= b.Total && took.Seconds()+rest > (b.Total+b.grace()).Seconds() {
				cancel(errUsedUp)
			}
		}
	}()
	return ctx, stop
}
