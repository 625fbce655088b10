package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The program, its packages for R and Python, and the citation have one version.
func TestOneVersion(t *testing.T) {
	for name, pattern := range map[string]string{
		"r/DESCRIPTION":         `(?m)^Version: (.*)$`,
		"python/pyproject.toml": `(?m)^version = "(.*)"$`,
		"CITATION.cff":          `(?m)^version: (.*)$`,
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		got := regexp.MustCompile(pattern).FindSubmatch(text)
		if got == nil || string(got[1]) != version {
			t.Errorf("%s: found the version %q, expected %s as in version.go", name, got, version)
		}
	}
}
