package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// New is a file to create.
type New struct {
	Name    string
	Content []byte
}

// Create writes new files into a directory, which it makes if necessary. Each file
// appears whole. After an error, or when ctx is done, Create removes what it made. A
// file that exists is an error. Errors begin with the path concerned.
func Create(ctx context.Context, dir string, all []New) (err error) {
	var made, temps, paths []string
	defer func() {
		for _, temp := range temps {
			os.Remove(temp)
		}
		if err == nil {
			return
		}
		for _, path := range append(paths, made...) {
			os.Remove(path)
		}
	}()
	made = missing(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return Named(dir, err)
	}
	for _, f := range all {
		path := filepath.Join(dir, f.Name)
		if _, err := os.Lstat(path); err == nil {
			return Named(path, fs.ErrExist)
		}
		temp := tempBeside(path)
		if err := stage(OS{}, temp, 0o666, func(out File) error { return writeChunks(ctx, out, f.Content) }); err != nil {
			return Named(path, err)
		}
		temps = append(temps, temp)
	}
	for i, f := range all {
		path := filepath.Join(dir, f.Name)
		if err := renameNew(temps[i], path); err != nil {
			return Named(path, err)
		}
		paths = append(paths, path)
	}
	return Named(dir, OS{}.SyncDir(dir))
}

// renameNew gives a file another name, which must be new. A hard link is the portable
// way that two processes cannot both take; some file systems have none.
func renameNew(oldPath, newPath string) error {
	err := os.Link(oldPath, newPath)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(newPath); err == nil {
		return fs.ErrExist
	}
	return os.Rename(oldPath, newPath)
}

// missing returns dir and those of its parents that do not exist, the innermost first.
func missing(dir string) (dirs []string) {
	for parent := filepath.Clean(dir); ; parent = filepath.Dir(parent) {
		if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) {
			return dirs
		}
		dirs = append(dirs, parent)
	}
}

// CreateTree makes a new directory with files, whose names may have slashes. The directory
// appears whole, or not at all after an error or when ctx is done. It is an error if it
// exists. Errors begin with the path concerned.
func CreateTree(ctx context.Context, dir string, all []New) error {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); err == nil {
		return Named(dir, fs.ErrExist)
	}
	temp := tempBeside(dir)
	err := os.Mkdir(temp, 0o777)
	for _, f := range all {
		path := filepath.Join(temp, filepath.FromSlash(f.Name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o777)
		}
		if err == nil {
			err = stage(OS{}, path, 0o666, func(out File) error { return writeChunks(ctx, out, f.Content) })
		}
	}
	if err == nil {
		err = os.Rename(temp, dir)
	}
	if err != nil {
		os.RemoveAll(temp)
		return Named(dir, err)
	}
	return Named(filepath.Dir(dir), OS{}.SyncDir(filepath.Dir(dir)))
}
