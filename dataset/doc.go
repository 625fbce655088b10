// Package dataset reads, transforms and simulates data: tables and matrices from CSV text,
// with errors that name the line and the column; transforms of columns; built-in data with
// source and terms; and data from the linear-Gaussian latent feature model.
package dataset
