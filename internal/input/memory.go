package input

// Available memory.

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"aibd/internal/model"
)

// assumed is the memory of systems that do not report it.
var assumed = model.Memory{Bytes: 16e9, Source: "assumed; GOMEMLIMIT sets another limit"}

// available returns the memory that this process may have: GOMEMLIMIT if it is set, else
// the minimum of the free memory, the rest of the control group and the limit of address
// space, as far as the system reports them.
func available() model.Memory {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		return model.Memory{Bytes: float64(limit), Source: "GOMEMLIMIT"}
	}
	return systemMemory(os.DirFS("/"))
}

// systemMemory returns the minimum that the files of a Linux system report.
func systemMemory(root fs.FS) model.Memory {
	least := model.Memory{Bytes: math.Inf(1)}
	consider := func(bytes float64, source string) {
		if bytes < least.Bytes {
			least = model.Memory{Bytes: max(bytes, 0), Source: source}
		}
	}
	if kB, ok := entry(root, "proc/meminfo", "MemAvailable:"); ok {
		consider(kB*1024, "free on this machine")
	}
	limit, limited := entry(root, "proc/self/limits", "Max address space")
	if pages, ok := entry(root, "proc/self/statm", ""); ok && limited {
		consider(limit-pages*float64(os.Getpagesize()), "left of the limit of address space, ulimit -v")
	}
	// The control group of the process and those above it, in the hierarchy of either
	// version.
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		for _, v := range []struct{ controller, top, limit, used, stat, cache string }{
			{"0::", "sys/fs/cgroup", "memory.max", "memory.current", "memory.stat", "file"},
			{":memory:", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", "cache"},
		} {
			_, group, ok := strings.Cut(strings.TrimSpace(line), v.controller)
			for dir := path.Join(v.top, group); ok && strings.HasPrefix(dir, v.top); dir = path.Dir(dir) {
				limit, limited := entry(root, path.Join(dir, v.limit), "")
				used, counted := entry(root, path.Join(dir, v.used), "")
				cache, _ := entry(root, path.Join(dir, v.stat), v.cache) // the system frees it on demand
				if limited && counted {
					consider(limit-used+cache, "left to the control group")
				}
			}
		}
	}
	if least.Source == "" {
		return assumed
	}
	return least
}

// entry returns the number behind a key at the beginning of a line; with key "" that at
// the beginning of the file.
func entry(root fs.FS, name, key string) (float64, bool) {
	content, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(content)) {
		value, ok := strings.CutPrefix(line, key)
		if fields := strings.Fields(value); ok && len(fields) > 0 && (key == "" || value[0] == ' ') {
			x, err := strconv.ParseFloat(fields[0], 64)
			return x, err == nil
		}
	}
	return 0, false
}
