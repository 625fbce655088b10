// Package lab holds experiments beside the program, as tests. Without a flag each makes a small table, to
// show that it works; make has the commands of the tables in the documents.
package lab
