//go:build !unix

package serve

import "os/exec"

// canSignal reports whether the system can ask a process to stop.
const canSignal = false

func inOwnGroup(*exec.Cmd) {}
