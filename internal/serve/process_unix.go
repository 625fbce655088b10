//go:build unix

package serve

import (
	"os/exec"
	"syscall"
)

// canSignal reports whether the system can ask a process to stop.
const canSignal = true

// inOwnGroup puts a process into a process group of its own.
func inOwnGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
