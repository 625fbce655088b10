// Package latex stands in for the typesetter of formulas that package gonum.org/v1/plot imports. No text in
// pictures of aibd is LaTeX: without these packages the typesetter and its fonts would be in the program.
package latex
