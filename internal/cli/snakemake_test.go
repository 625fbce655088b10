package cli

import (
	"testing"

	"aibd/internal/oracle/fixture"
)

// TestSnakemake runs the rules of docs/guide/cluster.md with the program that AIBD_SNAKEMAKE names.
func TestSnakemake(t *testing.T) {
	program := fixture.Elsewhere(t, "AIBD_SNAKEMAKE", "the program snakemake")
	runScripts(t, "testdata/elsewhere/snakemake.txtar", "SNAKEMAKE="+program)
}
