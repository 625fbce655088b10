// Package dataset brings data in: tables and matrices from CSV text with errors
// that name the line and column, transforms, built-in data with its source and
// terms, and data simulated from the linear-Gaussian latent feature model.
package dataset
