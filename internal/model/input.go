package model

// What the files of a spec say.

import (
	"aibd/dataset"
	"aibd/feature"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/similarity"
)

// Input is what the files of a spec say, as package input reads them. Items, Side and Distances
// have the same items in the same order. A law may have no data.
type Input struct {
	Spec            spec.Spec            // complete
	Given           spec.Spec            // as it was given
	OpenLaw         bool                 // the spec left the law open
	Items           *dataset.Table       // the data; nil: none
	Whole           *dataset.Table       // the data file, if Items are a sample of it; otherwise nil
	Side            *dataset.Table       // the covariates; nil: none
	Held            [][2]string          // item and variable of the hidden cells, in the order of the file
	Distances       *similarity.Matrix   // distances or proximities of a file; nil: none
	FurtherMatrices []*similarity.Matrix // those of the distances after the first; nil: measured
	Init            feature.Weighted     // Z at the start, with weights if features have them; Z is nil if there is none
	Notes           []string             // on how the rows are matched
	Sources         []Source
	Memory          Memory // for the fit

	openLogs bool // whose logarithms are taken is the default, which depends on the table
}

// Source is a file that was read.
type Source struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Names says where tables have the names of the items, for dataset.ReadNamed, and how they write decimals.
type Names struct {
	Column   string
	Numbers  bool // the names are the numbers of the column, which is data too
	Decimals dataset.Decimals
}

// Names returns where the data have the names of the items, and how they and the side table write decimals.
func (in *Input) Names() Names {
	decimals := in.Items.Decimals()
	if in.Side != nil {
		decimals = in.Side.Decimals()
	}
	if in.Items.Numbered || in.Items.IDs == nil {
		return Names{Column: in.Spec.Data.ID, Decimals: decimals}
	}
	return Names{Column: in.Items.IDColumn, Numbers: in.numericID(), Decimals: decimals}
}

// numericID reports whether the names of the items are the numbers of a column that is data too.
func (in *Input) numericID() bool { return in.Items.IDs != nil && in.Items.Has(in.Items.IDColumn) }

// IDs returns the names of the items, their numbers from 1 if they have none.
func (in *Input) IDs() []string {
	if in.Items.IDs != nil {
		return in.Items.IDs
	}
	return words.Numbered("", in.Items.N())
}
