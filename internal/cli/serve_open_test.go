//go:build linux

package cli

// What other users of the machine learn of aibd serve --open.

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"aibd/internal/oracle/fixture"
)

// The browser gets the name of a file that only the user can read. Another user gets nothing.
func TestServeOpen(t *testing.T) {
	dir := t.TempDir()
	bin, args := filepath.Join(dir, "bin"), filepath.Join(dir, "args")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$@\" > '"+args+".part'; mv '"+args+".part' '"+args+"'\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	address, stop := started(t, dir, 0, "serve", "--port", "0", "--open")
	host, token, _ := strings.Cut(address, "/?token=")
	var opened []byte
	for began := time.Now(); opened == nil && time.Since(began) < patience; time.Sleep(10 * time.Millisecond) {
		opened, _ = os.ReadFile(args)
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(opened)), "file://")
	if !ok || token == "" || strings.Contains(name, token) {
		t.Fatalf("found the arguments %q of the browser, expected the address of a file", opened)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("found %v, %v, expected mode 0600", info, err)
	}
	if content, err := os.ReadFile(name); err != nil || !strings.Contains(string(content), `content="0;url=`+address+`"`) {
		t.Errorf("found %q, %v", content, err)
	}
	t.Run("other user", func(t *testing.T) {
		if _, err := exec.LookPath("curl"); err != nil || os.Getuid() != 0 {
			t.Skip("needs curl and root")
		}
		for script, want := range map[string]string{
			`curl -s "$1/" && curl -s -X POST -H "Origin: $1" "$1/stop?run=."`: strings.Repeat("found no token of this server, expected the address that aibd printed when it began\n", 2),
			`cat "$2" || echo none`: "none\n",
			`grep -c 'token[=]' /proc/[0-9]*/cmdline /proc/[0-9]*/environ | grep -v :0 | wc -l`: "0\n",
		} {
			c := exec.Command("sh", "-c", script, "sh", host, name)
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			if out, err := c.Output(); err != nil || string(out) != want {
				t.Errorf("%s: found %q, %v, expected %q", script, out, err, want)
			}
		}
	})
	t.Run("browser", func(t *testing.T) {
		p := Start(t, fixture.Elsewhere(t, "AIBD_CHROMIUM", "the program chromium")).Open(t, name)
		p.Wait(`document.getElementById("list")?.innerText.includes("No runs yet") && !location.href.includes("token")`)
		wantProblems(t, p, "expected none outside file://")
		p.Close()
	})
	stop()
	if _, err := os.Stat(name); err == nil {
		t.Errorf("found %s after the end", name)
	}
}
