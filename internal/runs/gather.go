package runs

// Joining copies of a run whose chains were sampled apart.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"aibd/internal/files"
	"aibd/internal/model"
)

// Gather makes a run of the chains of others. These are copies of one run: their run.json has
// the same bytes, and no two have draws of the same chain. Gather verifies each segment,
// checkpoint and report that it copies. It returns the numbers, from 1, of the chains without
// draws.
//
// The new directory appears whole, or not at all after an error or when ctx is done. If there was one before, the
// error is an fs.ErrExist. Gather locks the copies, in which it writes nothing, and the new run. It
// returns a HeldError if a process is sampling a copy.
func Gather(ctx context.Context, dirs []string, out string) (missing []int, err error) {
	out = filepath.Clean(out)
	if err := Absent(out); err != nil {
		return nil, err
	}
	var record []byte
	var sources []*Run // by chain; nil: none
	dirs = slices.Clone(dirs)
	for i := range dirs {
		dirs[i] = filepath.Clean(dirs[i])
		if slices.Contains(dirs[:i], dirs[i]) {
			return nil, fmt.Errorf("found %s twice, expected different directories", dirs[i])
		}
		r, err := Open(dirs[i])
		if err != nil {
			return nil, err
		}
		held, err := r.acquireToRead()
		if err != nil {
			return nil, err
		}
		defer held.release()
		text, err := files.ReadRegular(r.source, filepath.Join(r.Dir, recordFile), maxRecord)
		if err != nil {
			return nil, err
		}
		if record == nil {
			record, sources = text, make([]*Run, r.Spec.Sampler.Chains)
		}
		if r.edited != nil {
			return nil, r.edited
		}
		if !bytes.Equal(text, record) {
			return nil, fmt.Errorf("%s: found another run than in %s, expected the same bytes", filepath.Join(r.Dir, recordFile), dirs[0])
		}
		if err := r.Apart(); err != nil {
			return nil, err
		}
		if _, damage := r.Reports(); damage != "" {
			return nil, errors.New(damage)
		}
		for c := range sources {
			begun, err := r.verify(c)
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return nil, err
			}
			if !begun {
				continue
			}
			if other := sources[c]; other != nil {
				return nil, fmt.Errorf("%s: found draws of the chain that %s has, expected different chains", r.chainDir(c), other.chainDir(c))
			}
			sources[c] = r
		}
	}
	temp := filepath.Join(filepath.Dir(out), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(out), rand.Uint32()))
	defer os.RemoveAll(temp) // if it has not got its name
	if err := files.Named(out, files.OS{}.Mkdir(temp)); err != nil {
		return nil, err
	}
	disk, err := files.OpenDir(temp)
	if err != nil {
		return nil, err
	}
	held, err := acquire(disk, temp)
	if err != nil {
		return nil, err
	}
	defer held.release()
	for c, r := range sources {
		if r == nil {
			missing = append(missing, c+1)
			continue
		}
		if err := r.copyChain(ctx, c, temp, disk); err != nil {
			return nil, err
		}
	}
	if err := copyTo(ctx, bytes.NewReader(record), filepath.Join(temp, recordFile), disk); err != nil {
		return nil, err
	}
	if err := files.Named(out, files.OS{}.Rename(temp, out)); err != nil {
		return nil, err
	}
	return missing, files.Named(filepath.Dir(out), files.OS{}.SyncDir(filepath.Dir(out)))
}

// verify returns an error if a chain has a file that cannot be used. It reports whether the
// chain has draws or a checkpoint.
func (r *Run) verify(c int) (begun bool, err error) {
	var t Trace
	gap, err := r.trace(c, &t, nil)
	if err == nil && gap != "" {
		err = errors.New(gap)
	}
	if err != nil {
		return false, err
	}
	p, err := r.readCheckpoint(c)
	switch drawn := t.Len(); {
	case errors.Is(err, fs.ErrNotExist):
		return drawn > 0, nil
	case err != nil:
		return false, err
	case r.Spec.Sampler.Config().DrawsAt(p.State.Done) > drawn:
		return false, fmt.Errorf("%s: found %d draws, expected at least the %d before the checkpoint", r.chainDir(c), drawn, r.Spec.Sampler.Config().DrawsAt(p.State.Done))
	}
	return true, nil
}

// copyChain copies the segments, the checkpoint and the report of a chain.
func (r *Run) copyChain(ctx context.Context, c int, target string, disk files.Dir) error {
	if err := disk.Mkdir(filepath.Join(target, model.ChainName(c))); err != nil {
		return files.Named(target, err)
	}
	names := []string{checkpointFile, reportFile}
	for number := 0; ; number++ {
		if _, err := r.source.Stat(r.segmentPath(c, number)); err != nil {
			break // verify has read all before
		}
		names = append(names, segmentName(number))
	}
	for _, name := range names {
		f, _, err := files.OpenRegular(r.source, filepath.Join(r.chainDir(c), name), maxSegment)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = copyTo(ctx, f, filepath.Join(target, model.ChainName(c), name), disk)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// copyTo writes a file. It ends when ctx is done.
func copyTo(ctx context.Context, reader io.Reader, target string, disk files.Dir) error {
	return files.Replace(disk, target+".tmp", target, func(w io.Writer) error {
		_, err := io.Copy(w, until{ctx, reader})
		return err
	})
}

// until is a reader that returns an error once the context is done.
type until struct {
	context.Context
	reader io.Reader
}

func (u until) Read(b []byte) (int, error) {
	if err := u.Err(); err != nil {
		return 0, err
	}
	return u.reader.Read(b)
}
