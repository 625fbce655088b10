package runs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFingerprintOfFormat10: runs made before the intercept was part of the fingerprint keep
// theirs, so that their draws stay readable.
func TestFingerprintOfFormat10(t *testing.T) {
	content, err := os.ReadFile("testdata/format10.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, recordFile), content, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const want = "04c3b538035192b32c1cea17c08a1f46f62bd95b175b211bced466ccdfe737e1"
	if got := r.fingerprint(); got != want {
		t.Errorf("found the fingerprint %s, expected %s", got, want)
	}
}
