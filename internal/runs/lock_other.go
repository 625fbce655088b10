//go:build !linux

package runs

import "io/fs"

// holdsLock trusts the id in the file of the lock: the system does not say who holds it.
func holdsLock(int, fs.FileInfo) bool { return true }
