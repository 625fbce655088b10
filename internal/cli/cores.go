package cli

import (
	"errors"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"
)

// maxCores bounds --cores: a larger number can only be a mistake.
const maxCores = 10_000

// cores is the value of --cores. Set limits the cores of the program.
type cores int

// addCores adds --cores. what says which results do not depend on it, such as "Draws do".
func addCores(c *cobra.Command, what string) {
	c.Flags().Var(new(cores), "cores", "Number of cores; 0 for all. "+what+" not depend on it.")
}

func (n *cores) Set(text string) error {
	value, err := strconv.Atoi(text)
	switch {
	case err != nil || value < 0 || value > maxCores:
		return errors.New("expected a whole number from 0 to " + strconv.Itoa(maxCores))
	case value == 0:
		runtime.SetDefaultGOMAXPROCS()
	default:
		runtime.GOMAXPROCS(value)
	}
	*n = cores(value)
	return nil
}

func (n *cores) String() string { return strconv.Itoa(int(*n)) }

func (n *cores) Type() string { return "int" }
