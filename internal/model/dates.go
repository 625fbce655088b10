package model

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
)

// days returns the number of days from 1970 to each date, such as 2021-03-09, 20210309, 9.3.2021 or 2021-03, which is the
// first of the month. A time may follow, such as T22:00:00Z. It returns false if a cell is not a date. A date without
// dashes must have a year from 1800 to 2199.
func days(cells []string) ([]float64, bool) {
	values := lists.Map(cells, day)
	return values, len(cells) > 0 && !slices.ContainsFunc(values, math.IsNaN)
}

// dateLayouts holds the forms of dates. Libraries that guess forms do not serve: dateparse reads 9.3.2021 as the third of
// September and 2021 as a date.
var dateLayouts = []string{time.DateOnly, "2006-01", "20060102", "2.1.2006", "2006/1/2", "2-Jan-2006", "2Jan2006"}

// timed matches a date and a time of day behind it, as databases, loggers and programs write them: maybe with seconds and
// their parts, and with the distance from UTC, which other times have.
var timed = regexp.MustCompile(`^(.*?[0-9])(?:[ T:]|, )([0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?|[0-9]{6}(?:\.[0-9]+)?) ?(?:(Z|UTC|GMT)|([-+][0-9]{2})(?::?([0-9]{2}))?)?$`)

// timeLayouts holds the forms of times of day.
var timeLayouts = []string{"15:04", "15:04:05", "150405"}

// day returns the days from 1970 to a date, NaN if a cell is none. A time of day is a fraction.
func day(cell string) float64 {
	date, clock := cell, 0.0
	if parts := timed.FindStringSubmatch(cell); parts != nil {
		date, clock = parts[1], fraction(parts[2], parts[4], parts[5])
	}
	for _, layout := range dateLayouts {
		t, err := time.Parse(layout, date)
		if err == nil && (strings.Contains(layout, "-") || 1800 <= t.Year() && t.Year() < 2200) {
			return float64(t.Unix())/secondsPerDay + clock
		}
	}
	return math.NaN()
}

const secondsPerDay = 24 * 60 * 60

// fraction returns the part of a day before a time of day, at so many hours and minutes from UTC, NaN if it is none.
func fraction(clock, hours, minutes string) float64 {
	offset, _ := time.ParseDuration(cmp.Or(hours, "0") + "h" + cmp.Or(minutes, "0") + "m") // of digits
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, strings.Replace(clock, ",", ".", 1)); err == nil {
			return (t.Sub(t.Truncate(24*time.Hour)) - offset).Seconds() / secondsPerDay
		}
	}
	return math.NaN()
}

// otherDate matches dates that are not read.
var otherDate = regexp.MustCompile(`^[0-9]{1,4}[-./]([0-9]{1,2}|[A-Za-z]{3})[-./][0-9]{1,4}`)

// slashed matches dates of which the day or the month comes first.
var slashed = regexp.MustCompile(`^[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}`)

// badDate returns an error for the first cell of a column that is not a date. It returns nil unless other cells
// are dates with dashes or points, the column names the items, or that cell looks like a date in a form that is not read.
func badDate(table *dataset.Table, column string, cells []string, names bool) error {
	isDate := func(cell string) bool { return !math.IsNaN(day(cell)) }
	bad := slices.IndexFunc(cells, func(cell string) bool { return !isDate(cell) })
	expected := "a number, or a date such as 2021-03-01, 20210301, 1.3.2021, 2021-03 or 2021-03-01T12:30Z"
	if good := slices.IndexFunc(cells, func(cell string) bool { return isDate(cell) && strings.ContainsAny(cell, "-.") }); good >= 0 {
		expected = fmt.Sprintf("a date such as %s, as in other lines", cells[good])
	} else if !names && !otherDate.MatchString(cells[bad]) {
		return nil
	}
	if slashed.MatchString(cells[bad]) {
		expected += ": with slashes, the day or the month may come first"
	}
	return fmt.Errorf("%s: found %s, expected %s", table.Where(bad, column), hint.Quoted(cells[bad]), expected)
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
