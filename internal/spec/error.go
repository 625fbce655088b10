package spec

import (
	"errors"
	"fmt"
	"slices"
)

// Key is the path of a setting, such as sampler.thin.
type Key string

// Error is an error about a setting.
type Error struct {
	Key    Key
	format string
	args   []any
}

// Errorf returns an Error about the setting at key. An argument of type Key mentions
// another setting.
func Errorf(key Key, format string, args ...any) error { return &Error{key, format, args} }

// Error returns the message with each setting called by its key.
func (e *Error) Error() string { return e.Text(func(k Key) string { return string(k) }) }

// Text returns the message with each setting called as name says.
func (e *Error) Text(name func(Key) string) string {
	args := slices.Clone(e.args)
	for i, a := range args {
		if k, ok := a.(Key); ok {
			args[i] = name(k)
		}
	}
	return name(e.Key) + ": " + fmt.Errorf(e.format, args...).Error()
}

// Unwrap returns the error in the message, if there is one.
func (e *Error) Unwrap() error { return errors.Unwrap(fmt.Errorf(e.format, e.args...)) }
