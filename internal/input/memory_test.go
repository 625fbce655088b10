package input

import (
	"math"
	"os"
	"runtime/debug"
	"testing"
	"testing/fstest"

	"aibd/internal/model"
)

// The available memory is the minimum of the values in the files of a system.
func TestSystemMemory(t *testing.T) {
	const (
		meminfo = "MemTotal:       24105000 kB\nMemFree:          100000 kB\nMemAvailable:   20000000 kB\n"
	)
	page := float64(os.Getpagesize())
	for name, c := range map[string]struct {
		files map[string]string
		want  model.Memory
	}{
		"nothing": {nil, assumed},
		"free":    {map[string]string{"proc/meminfo": meminfo}, model.Memory{Bytes: 20000000 * 1024, Source: "free on this machine"}},
		"ulimit": {map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units     \nMax address space         8000000000           unlimited            bytes     \n",
			"proc/self/statm":  "100 50 10 5 0 20 0\n",
		}, model.Memory{Bytes: 8e9 - 100*page, Source: "left of the limit of address space, ulimit -v"}},
		"no ulimit": {map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/limits": "Max address space         unlimited            unlimited            bytes     \n",
			"proc/self/statm":  "100 50 10 5 0 20 0\n",
		}, model.Memory{Bytes: 20000000 * 1024, Source: "free on this machine"}},
		"group": {map[string]string{
			"proc/meminfo":                       meminfo,
			"proc/self/cgroup":                   "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max":         "3000000000\n",
			"sys/fs/cgroup/a/memory.current":     "1000000000\n",
			"sys/fs/cgroup/a/memory.stat":        "anon 700000000\nfile 300000000\nfile_mapped 1\n",
			"sys/fs/cgroup/a/b/memory.max":       "max\n",
			"sys/fs/cgroup/a/b/memory.current":   "1000\n",
			"sys/fs/cgroup/memory/memory.limits": "1\n",
		}, model.Memory{Bytes: 2.3e9, Source: "left to the control group"}},
		"old group": {map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/cgroup": "9:name=systemd:/\n4:cpu,cpuacct:/\n3:memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1000000000\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "2000000000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":   "5\n",
		}, model.Memory{Bytes: 0, Source: "left to the control group"}},
	} {
		files := fstest.MapFS{}
		for file, content := range c.files {
			files[file] = &fstest.MapFile{Data: []byte(content)}
		}
		if got := systemMemory(files); got != c.want {
			t.Errorf("%s: found %v, expected %v", name, got, c.want)
		}
	}
}

// What GOMEMLIMIT says goes before everything else.
func TestMemoryLimit(t *testing.T) {
	old := debug.SetMemoryLimit(12345 << 40)
	defer debug.SetMemoryLimit(old)
	if got, want := available(), (model.Memory{Bytes: 12345 << 40, Source: "GOMEMLIMIT"}); got != want {
		t.Errorf("found %v, expected %v", got, want)
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if got := available(); !(got.Bytes >= 0) || got.Source == "" || got.Source == "GOMEMLIMIT" {
		t.Errorf("found %v", got)
	}
}
