package model

// The memory that there is.

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// memory is how much memory there is.
type memory struct {
	bytes float64
	of    string // where that is from
}

// assumed is the memory of systems that do not tell.
var assumed = memory{16e9, "assumed; GOMEMLIMIT sets another limit"}

// available returns the memory that this process may have: what GOMEMLIMIT says if
// it is set, else the least of what is free, of what is left to the control group
// and of the limit of address space, as far as the system tells.
func available() memory {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		return memory{float64(limit), "GOMEMLIMIT"}
	}
	return systemMemory(os.DirFS("/"))
}

// systemMemory returns the least memory that the files of a Linux system tell of.
func systemMemory(root fs.FS) memory {
	least := memory{math.Inf(1), ""}
	for _, m := range append(groupMemory(root), freeMemory(root), addressSpace(root)) {
		if m.of != "" && m.bytes < least.bytes {
			least = m
		}
	}
	if least.of == "" {
		return assumed
	}
	return memory{max(least.bytes, 0), least.of}
}

// freeMemory returns what can be had without swapping.
func freeMemory(root fs.FS) memory {
	if kB, ok := entry(root, "proc/meminfo", "MemAvailable:"); ok {
		return memory{kB * 1024, "free on this machine"}
	}
	return memory{}
}

// addressSpace returns what ulimit -v leaves.
func addressSpace(root fs.FS) memory {
	limit, ok := entry(root, "proc/self/limits", "Max address space")
	content, err := fs.ReadFile(root, "proc/self/statm")
	pages, _, _ := strings.Cut(string(content), " ")
	used, parseErr := strconv.ParseFloat(pages, 64)
	if !ok || err != nil || parseErr != nil {
		return memory{}
	}
	return memory{limit - used*float64(os.Getpagesize()), "left of the limit of address space, ulimit -v"}
}

// groupMemory returns what the control group of the process and those above it
// leave, in the hierarchy of either version.
func groupMemory(root fs.FS) (found []memory) {
	content, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(content)) {
		for _, v := range []struct{ controller, top, limit, used, stat, cache string }{
			{"0::", "sys/fs/cgroup", "memory.max", "memory.current", "memory.stat", "file"},
			{":memory:", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", "cache"},
		} {
			_, group, ok := strings.Cut(strings.TrimSpace(line), v.controller)
			for dir := path.Join(v.top, group); ok && strings.HasPrefix(dir, v.top); dir = path.Dir(dir) {
				limit, limited := number(root, path.Join(dir, v.limit))
				used, known := number(root, path.Join(dir, v.used))
				cache, _ := entry(root, path.Join(dir, v.stat), v.cache) // can be had back
				if limited && known {
					found = append(found, memory{limit - used + cache, "left to the control group"})
				}
			}
		}
	}
	return found
}

// number returns the number that a file holds.
func number(root fs.FS, name string) (float64, bool) {
	content, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(string(content)), 64)
	return x, err == nil
}

// entry returns the number behind a key at the beginning of a line.
func entry(root fs.FS, name, key string) (float64, bool) {
	content, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	for s := bufio.NewScanner(bytes.NewReader(content)); s.Scan(); {
		rest, ok := strings.CutPrefix(s.Text(), key)
		fields := strings.Fields(rest)
		if !ok || len(fields) == 0 || !strings.HasPrefix(rest, " ") {
			continue
		}
		x, err := strconv.ParseFloat(fields[0], 64)
		return x, err == nil
	}
	return 0, false
}
