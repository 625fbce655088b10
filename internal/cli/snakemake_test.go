package cli

import (
	"os"
	"testing"
)

// TestSnakemake runs the rules of docs/cluster.md with the program that AIBD_SNAKEMAKE names.
func TestSnakemake(t *testing.T) {
	program := os.Getenv("AIBD_SNAKEMAKE")
	if program == "" {
		t.Skip("AIBD_SNAKEMAKE is not set")
	}
	runScripts(t, "testdata/elsewhere/snakemake.txtar", "SNAKEMAKE="+program)
}
