package segment

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"aibd/draws"
	"aibd/internal/oracle/fixture"
)

// Independent programs read the same numbers and the same
// bits. Each needs a folder, named by an environment variable, that holds what
// `npm install @duckdb/node-api hyparquet hyparquet-compressors` makes, or an R
// library with the package nanoparquet 0.5.0 or later.
func TestOtherReaders(t *testing.T) {
	written := sync.OnceValues(func() (expected map[string]float64, files []string) {
		// N is not a multiple of 8; laws with and without order; draws without features;
		// a segment without draws.
		segments := []struct {
			header Header
			draws  []*draws.Draw
		}{
			{Header{N: 13, Chain: 0, DrawsPerChain: 4000}, randDraws(1, 4000, 13, 60, true)},
			{Header{N: 13, Chain: 1, DrawsPerChain: 4000}, randDraws(2, 50, 13, 7, false)},
			{Header{N: 13, Chain: 2, DrawsPerChain: 4000}, nil},
		}
		expected = map[string]float64{}
		for i, s := range segments {
			file := filepath.Join(t.TempDir(), fmt.Sprintf("%d.parquet", i))
			if err := os.WriteFile(file, encode(t, s.header, s.draws), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
			for _, d := range s.draws {
				draw := float64(s.header.Chain*s.header.DrawsPerChain + d.Iteration + 1)
				expected["rows"]++
				expected[".chain"] += float64(s.header.Chain + 1)
				expected[".iteration"] += float64(d.Iteration + 1)
				expected[".draw"] += draw
				expected["mass"] += d.Mass
				expected["sigma_x"] += d.SigmaX
				expected["sigma_a"] += d.SigmaA
				expected["n_features"] += float64(d.Z.K())
				expected["n_ones"] += float64(d.Z.Ones())
				expected["ones"] += float64(d.Z.Ones())
				expected["log_lik"] += d.LogLik
				expected["log_prior"] += d.LogPrior
				if math.IsNaN(d.Temperature) {
					expected["no_temperature"]++
				} else {
					expected["temperature"] += d.Temperature
				}
				if d.Permutation == nil {
					expected["no_permutation"]++
				}
				for position, item := range d.Permutation {
					expected["permutation"] += float64((position + 1) * (item + 1))
				}
				for k := range d.Z.K() {
					for _, item := range d.Z.Members(nil, k) {
						expected["features"] += draw * float64((k+1)*(item+1))
					}
				}
			}
		}
		return expected, files
	})
	for _, c := range []struct{ command, script, folder string }{
		{"node", "duckdb.mjs", "AIBD_NODE_MODULES"},
		{"node", "hyparquet.mjs", "AIBD_NODE_MODULES"},
		{"Rscript", "nanoparquet.R", "AIBD_R_LIBRARY"},
	} {
		t.Run(c.script, func(t *testing.T) {
			folder := fixture.Elsewhere(t, c.folder, "a folder of packages that read Parquet")
			expected, files := written()
			command := exec.CommandContext(t.Context(), c.command, append([]string{"testdata/" + c.script, folder, "13"}, files...)...)
			command.Stderr = os.Stderr
			output, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{}
			if err := json.Unmarshal(output, &got); err != nil {
				t.Fatalf("%v in %q", err, output)
			}
			if !maps.Equal(got, expected) {
				t.Errorf("%s\nfound    %v\nexpected %v", files, got, expected)
			}
		})
	}
}
