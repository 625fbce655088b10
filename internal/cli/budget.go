package cli

// The value of --budget, and what is said of it.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"aibd/fit"
)

// defaultBudget is the time in which rounds are begun by default.
const defaultBudget = 5 * time.Minute

// budget is the value of --budget.
type budget struct{ fit.Budget }

// Type is what the help calls the value.
func (b *budget) Type() string { return "time" }

func (b *budget) String() string {
	if b.Scans > 0 {
		return fmt.Sprintf("%dscans", b.Scans)
	}
	return b.Time.String()
}

// Set takes the value from the command line.
func (b *budget) Set(text string) error {
	number, scans := strings.CutSuffix(text, "scans")
	if !scans {
		total, err := time.ParseDuration(text)
		*b = budget{fit.Budget{Time: total}}
		if err == nil && total < 0 {
			return errors.New("expected at least 0")
		}
		if err != nil {
			return errors.New("expected a time such as 5m, or scans such as 20000scans")
		}
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 0 || n > maxScans {
		return errors.New("expected a number of scans such as 20000scans")
	}
	*b = budget{fit.Budget{Scans: n}}
	return nil
}

// maxScans is the largest budget in scans.
const maxScans = 1_000_000_000_000
