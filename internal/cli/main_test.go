package cli

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain lets the tests call the program by its name, and proves that neither
// the tests nor any of these calls leave a goroutine behind.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // hundreds of small processes: a fifth of their time is garbage collection
	testscript.Main(leakless{m}, map[string]func(){
		"aibd": func() {
			status := Status(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
			os.Exit(withoutLeak(status))
		},
	})
}

// leakless runs tests that must leave no goroutine behind.
type leakless struct{ *testing.M }

func (l leakless) Run() int { return withoutLeak(l.M.Run()) }

// withoutLeak returns an exit status, or one that no test expects if a goroutine
// is left.
func withoutLeak(status int) int {
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	return status
}
