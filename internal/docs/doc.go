// Package docs tests the documents: the links, files, names, tests, commands and
// examples that they mention must exist.
package docs
