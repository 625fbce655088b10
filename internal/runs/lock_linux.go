package runs

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// holdsLock reports whether a process locks a file, by /proc/locks:
//
//	1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF
func holdsLock(pid int, file fs.FileInfo) bool {
	stat, ok := file.Sys().(*syscall.Stat_t)
	text, err := os.ReadFile("/proc/locks")
	if !ok || err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
		words := strings.Fields(line)
		return len(words) >= 6 && words[3] == "WRITE" && words[4] == strconv.Itoa(pid) && strings.HasSuffix(words[5], fmt.Sprintf(":%d", stat.Ino))
	})
}
