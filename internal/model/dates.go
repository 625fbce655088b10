package model

import (
	"regexp"
	"strings"
	"time"

	"aibd/internal/spec"
)

// days returns the days from 1970 to dates such as 2021-03-09 and 20210309, or false if a cell is no
// date. Days without dashes must be of the years 1800 to 2199: others are numbers.
func days(cells []string) ([]float64, bool) {
	values := make([]float64, len(cells))
	for i, cell := range cells {
		layout := "2006-01-02"
		if !strings.Contains(cell, "-") {
			layout = "20060102"
		}
		day, err := time.Parse(layout, cell)
		if err != nil || layout == "20060102" && (day.Year() < 1800 || day.Year() >= 2200) {
			return nil, false
		}
		values[i] = float64(day.Unix()) / (24 * 60 * 60)
	}
	return values, len(cells) > 0
}

// simple matches the names of columns that stand in a command as they are.
var simple = regexp.MustCompile(`^[\p{L}\p{N}_.-]+$`)

// noteDates returns a line if dates name the items and nothing measures distances, if the spec left the law open.
func (in *Input) noteDates(s spec.Spec, open bool) (notes []string) {
	if _, dates := days(in.Items.IDs); dates && open && s.Distance.Kind == "none" && simple.MatchString(in.Items.IDColumn) && in.Items.N() >= minAlike {
		notes = append(notes, "dates name the items: --distance absolute:"+in.Items.IDColumn+" measures distances in days")
	}
	return notes
}
