package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxSize is the greatest size of the stripped program.
const maxSize = 25_000_000

// The program is small. A function that finds methods by names that the linker does not know, such as
// text/template's, would keep all methods of all types in it.
func TestSize(t *testing.T) {
	program := filepath.Join(t.TempDir(), "aibd")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w -dumpdep", "-o", program, "./cmd/aibd")
	command.Dir = "../.."
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for line := range strings.Lines(string(output)) {
		if strings.HasSuffix(strings.TrimSpace(line), "<ReflectMethod>") {
			t.Error("a method is found by its name: ", line)
		}
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxSize {
		t.Errorf("the program has %d bytes, expected at most %d", info.Size(), maxSize)
	}
}
