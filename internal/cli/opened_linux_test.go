package cli

import (
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"aibd/internal/oracle/fixture"
)

// opened calls do and returns how often files in the directories were opened.
func opened(t *testing.T, dirs []string, do func()) map[string]int {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatalf("inotify: %v", err)
	}
	defer syscall.Close(fd)
	watched := map[int32]string{}
	for _, dir := range dirs {
		// Two openings in a row are one event, unless another, such as closing, comes between them.
		w, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_OPEN|syscall.IN_CLOSE)
		if err != nil {
			t.Fatalf("inotify: %v", err)
		}
		watched[int32(w)] = dir
	}
	do()
	count := map[string]int{}
	b := make([]byte, 1<<16)
	for {
		n, err := syscall.Read(fd, b)
		if err == syscall.EAGAIN {
			return count
		}
		if err != nil {
			t.Fatal(err)
		}
		for offset := 0; offset < n; {
			event := (*syscall.InotifyEvent)(unsafe.Pointer(&b[offset]))
			if event.Mask&syscall.IN_Q_OVERFLOW != 0 {
				t.Fatal("more events than inotify keeps")
			}
			offset += syscall.SizeofInotifyEvent
			if event.Len > 0 && event.Mask&syscall.IN_OPEN != 0 && event.Mask&syscall.IN_ISDIR == 0 {
				name := b[offset : offset+int(event.Len)]
				for len(name) > 0 && name[len(name)-1] == 0 {
					name = name[:len(name)-1]
				}
				count[filepath.Join(watched[event.Wd], string(name))]++
			}
			offset += int(event.Len)
		}
	}
}

// Each verb opens each file of data and each segment of draws at most once.
func TestFilesAreReadOnce(t *testing.T) {
	fixture.Put(t, "x.csv", "id,a,b\np,1,2\nq,2,1\nr,3,3\ns,4,0\n",
		"side.csv", "id,lon,lat\np,1,2\nq,5,1\nr,30,3\ns,45,0\n",
		"d.csv", ",p,q,r,s\np,0,1,2,3\nq,1,0,1,2\nr,2,1,0,1\ns,3,2,1,0\n",
		"hidden.csv", "item,variable\nq,b\n",
		"new.csv", "id,a,b\nt,1,NA\n", "new_side.csv", "id,lon,lat\nt,1,2\n")
	fit := []string{"fit", "--quiet", "--warmup", "5", "--draws", "10", "--chains", "2", "x.csv", "--set", "data.holdout_file=hidden.csv"}
	once := func(what string, must []string, dirs []string, args ...string) {
		t.Helper()
		count := opened(t, append(dirs, "."), func() { call(t, args...) })
		for file, n := range count {
			if extension := filepath.Ext(file); n > 1 && (extension == ".csv" || extension == ".parquet") {
				t.Errorf("%s: %s was opened %d times", what, file, n)
			}
		}
		for _, file := range must {
			if count[file] == 0 {
				t.Errorf("%s: %s was not opened", what, file)
			}
		}
	}
	places := []string{"x.csv", "side.csv", "hidden.csv"}
	once("fit", places, nil, append(fit, "--side", "side.csv", "--distance", "great-circle", "--out", "places")...)
	once("fit with a matrix", []string{"x.csv", "d.csv"}, nil, append(fit, "--distance", "matrix:d.csv", "--out", "matrix")...)
	once("compare", []string{"x.csv"}, []string{"matrix/chain-1", "places/chain-1"}, "compare", "matrix", "places")
	rounds := []string{"--warmup", "5", "--budget", "100scans", "x.csv", "--distance", "matrix:d.csv"}
	matrix := []string{"x.csv", "d.csv"}
	once("fit in rounds", matrix, nil, append([]string{"fit", "--draws", "10", "--out", "rounds"}, rounds...)...)
	once("compare laws", matrix, nil, append([]string{"compare", "--priors", "ibp,aibd", "--out", "laws"}, rounds...)...)
	if *fixture.Long {
		once("compare features", matrix, nil, append([]string{"compare", "--priors", "ibp,aibd", "--features", "binary,weighted", "--out", "kinds"}, rounds...)...)
	}
	for run, inputs := range map[string][]string{"places": places, "matrix": {"x.csv", "d.csv", "hidden.csv"}} {
		if run == "matrix" && !*fixture.Long {
			continue
		}
		dirs := []string{run, filepath.Join(run, "chain-1"), filepath.Join(run, "chain-2")}
		segments := []string{filepath.Join(run, "chain-1/draws-00001.parquet"), filepath.Join(run, "chain-2/draws-00001.parquet")}
		once("report", append(inputs, segments...), dirs, "report", run)
		for _, verb := range [][]string{{"summary", run, "--all"}, {"sharing", run}, {"estimate", run}, {"predict", run}, {"check", run}} {
			once(verb[0], segments, dirs, verb...)
		}
	}
	once("plot", []string{"x.csv", "side.csv"}, []string{"places/chain-1"}, "plot", "places", "all", "--out", t.TempDir())
	once("predict new items", []string{"new.csv", "new_side.csv", "side.csv"}, nil, "predict", "places", "new.csv", "--side", "new_side.csv")
}
