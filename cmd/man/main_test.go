package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages", "man1")
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{"aibd.1": "attraction", "aibd-fit.1": `.TH "AIBD-FIT" "1"`, "aibd-prior-sharing.1": "", "aibd-settings.1": "data.preset"} {
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(page), says) || strings.Contains(strings.ToLower(string(page)), "cobra") {
			t.Errorf("%s: found\n%s\nexpected %q and nothing of cobra", name, page, says)
		}
	}
}
