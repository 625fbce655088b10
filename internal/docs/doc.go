// Package docs holds the documents to what the repository has, as a test: links,
// files, names, tests, commands and examples that they mention exist.
package docs
