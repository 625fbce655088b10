// Package draws defines a posterior draw, what records draws, and how Z is packed as bytes.
// Package segment reads and writes files of draws.
package draws
