package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// Dates are days, in every form and as names of the items too. Numbers and text that are no dates are not.
func TestDates(t *testing.T) {
	const n = 6
	offsets := []int{0, 30, 31, 59, 365, 400} // days from a day before a leap day
	form := func(layout string) string {
		text := "id,a,b,when\n"
		for i := range n {
			text += fmt.Sprintf("i%d,%d.5,%d,%s\n", i, i*i%5, i%3, time.Date(2020, 1, 30+offsets[i], 0, 0, 0, 0, time.UTC).Format(layout))
		}
		return text
	}
	numbers := "id,a,b,when\n"
	for i := range n {
		numbers += fmt.Sprintf("i%d,%d.5,%d,%d\n", i, i*i%5, i%3, offsets[i])
	}
	asNames := strings.NewReplacer("id,a,b,when", "when,a,b").Replace(form("2006-01-02"))
	rows := strings.Split(strings.TrimSpace(asNames), "\n")
	for i, row := range rows[1:] {
		cells := strings.Split(row, ",")
		rows[i+1] = strings.Join([]string{cells[3], cells[1], cells[2]}, ",")
	}
	months := "id,a,b,when\n"
	for i := range n {
		months += fmt.Sprintf("i%d,%d.5,%d,2020-0%d\n", i, i*i%5, i%3, i+1)
	}
	put(t, "days.csv", numbers, "months.csv", months, "iso.csv", form("2006-01-02"), "compact.csv", form("20060102"), "points.csv", form("02.01.2006"), "short.csv", form("2.1.2006"), "names.csv", strings.Join(rows, "\n")+"\n",
		"us.csv", form("01/02/2006"), "two.csv", strings.Replace(form("2006-01-02"), "2020-02-29", "29/02/2020", 1),
		"text.csv", strings.Replace(numbers, ",0\n", ",early\n", 1), "numbers.csv", strings.Replace(form("20060102"), "20200130", "20200140", 1))
	const text = "[data]\ncolumns = ['a', 'b']\nfile = '%s.csv'\n[distance]\nkind = 'absolute'\ncolumns = ['when']\n"
	want := build(t, fmt.Sprintf(text, "days"))
	if want.Unit != "when" {
		t.Errorf("unit %q", want.Unit)
	}
	for _, file := range []string{"iso", "compact", "points", "short", "names"} {
		p := build(t, fmt.Sprintf(text, file))
		if p.DataHash != want.DataHash || p.Unit != "day" {
			t.Errorf("%s: other distances than those in days, or unit %q", file, p.Unit)
		}
	}
	if p := build(t, fmt.Sprintf(text, "numbers")); p.DataHash == want.DataHash || p.Unit != "when" {
		t.Errorf("20200140 is taken for a date, unit %q", p.Unit)
	}
	if d := distancesOf(t, build(t, fmt.Sprintf(text, "months"))); d[0][1] != 31 || d[0][2] != 60 {
		t.Errorf("found %v and %v days between months, expected 31 and 60", d[0][1], d[0][2])
	}
	const dated = "dates name the items: --distance absolute:when measures distances in days"
	for file, noted := range map[string]bool{"names": true, "iso": false} {
		if notes := build(t, "[data]\nfile = '"+file+".csv'\n").Notes; slices.Contains(notes, dated) != noted {
			t.Errorf("%s: notes %q", file, notes)
		}
	}
	if slices.Contains(build(t, fmt.Sprintf(text, "names")).Notes, dated) || slices.Contains(build(t, "[data]\nfile = 'names.csv'\n[prior]\nlaw = 'ibp'").Notes, dated) {
		t.Error("a note on dates though the spec names the distance or the law")
	}
	for file, want := range map[string]string{
		"us":   `line 2, column "when": found "01/30/2020", expected a number, or a date such as 2021-03-01, 20210301, 1.3.2021, 2021-03 or 2021-03-01T12:30Z: with slashes, the day or the month may come first`,
		"two":  `line 3, column "when": found "29/02/2020", expected a date such as 2020-01-30, as in other lines: with slashes, the day or the month may come first`,
		"text": `line 2, column "when": found "early", expected a finite number`,
	} {
		_, err := Load(parse(t, fmt.Sprintf(text, file)))
		wantError(t, err, "distance.columns: "+file+".csv: "+want)
	}
}

// Times are fractions of days, in the forms of databases, loggers and programs.
func TestTimes(t *testing.T) {
	const midnight = 18713 // 2021-03-27
	for cell, want := range map[string]float64{
		"2021-03-27 00:00:00": 0, "2021-03-27T22:00:00Z": 22, "2021-03-27T22:00Z": 22, "2021-03-27 22:00": 22, "2021-03-27 22:30:36": 22.51,
		"2021-03-27 06:00:00.000": 6, "2021-03-27 06:00:36.000000+00": 6.01, "2021-03-27 06:00:00+05:30": 0.5, "2021-03-27T06:00:00-0230": 8.5, "2021-03-27T01:00:00.000+02:00": -1,
		"2021-03-27 06:00:00 UTC": 6, "2021-03-27 06:00:00.0000000 +00:00": 6, "2021-03-27T06:00:00,500": 6 + 0.5/3600, "20210327T060000Z": 6, "27.3.2021 6:00": 6, "27.03.2021, 06:00:00": 6,
		"2021/03/27": 0, "2021/3/27 06:00:00": 6, "27-MAR-2021 06:00:00": 6, "27MAR2021:06:00:00": 6, "27mar2021 06:00:00": 6, "27-Mar-2021": 0,
	} {
		if got := (day(cell) - midnight) * 24; !(math.Abs(got-want) < 1e-6) {
			t.Errorf("%s: found %v hours, want %v", cell, got, want)
		}
	}
	for _, cell := range []string{"2021-03-27 25:00", "2021-03-27 22:61", "2021-03-27T", "2021-03-27 noon", "22:00", "27/3/2021 22:00", "27-MAR-21", "2021-02-30 00:00:00", "12:30:15", "1.5", "2021-03-27T22:00:00Z/2021-03-28"} {
		if got := day(cell); !math.IsNaN(got) {
			t.Errorf("%s: found %v, expected no date", cell, got)
		}
	}
}

// Coordinates in X are named with the flags that measure distances with them, whatever their usual
// name; codes are named too. Measurements are not.
func TestPlacesAndCodes(t *testing.T) {
	for _, names := range [][2]string{{"decimalLongitude", "decimalLatitude"}, {"lon", "lat"}, {"x", "y"}, {"Easting", "Northing"}, {"UTM_E", "UTM_N"}, {"XCOORD", "YCOORD"}} {
		text := fmt.Sprintf("id,a,%s,b,%s\n", names[1], names[0])
		for i := range 12 {
			text += fmt.Sprintf("i%d,%d,%d.5,%d.25,%d.75\n", i, i*7%5, i*5%12, i*3%7, i*7%12)
		}
		put(t, "x.csv", text)
		flags := "--distance euclidean:" + names[0] + "," + names[1]
		if strings.HasSuffix(strings.ToLower(names[0]), "longitude") || names[0] == "lon" {
			flags = "--distance great-circle"
		}
		want := fmt.Sprintf("columns %q and %q are in X: %s measures distances with them", names[0], names[1], flags)
		for text, noted := range map[string]bool{"": true, "columns = ['!a']": true, "columns = ['a', 'b']": false, "columns = ['*']": false} {
			if notes := strings.Join(build(t, "[data]\nfile = 'x.csv'\n"+text).Notes, "\n"); strings.Contains(notes, want) != noted {
				t.Errorf("%s: notes %q, want %q: %t", text, notes, want, noted)
			}
		}
	}
	text := "name,POLYID,NEIG,firm,a,b,group,year,day,tract,count\n"
	for i := range 30 {
		text += fmt.Sprintf("n%d,%d,%d,%d,%d,%d.5,%d,%d,%d,%d,%d\n", i, i+1, 100+i*7%30, 1+i/3, i*i%11, i, i/15, 2000+i%3, 1+(i+12)%28, 700-i/5*(i/5), []int{3, 3, 4, 9}[i*i%4])
	}
	put(t, "x.csv", text)
	notes := strings.Join(build(t, "[data]\nfile = 'x.csv'\n").Notes, "\n")
	if !strings.Contains(notes, "whole numbers that number rows or blocks of rows are data and may be codes: POLYID, NEIG, firm and 3 more (--columns '!POLYID,!NEIG,!firm,!year,!day,!tract' leaves them out)") {
		t.Error(notes)
	}
}

// Coordinates in X are named beside distances between other columns too.
func TestPlacesBesideDistances(t *testing.T) {
	text := "id,age,a,lon,lat,UTM_E,UTM_N\n"
	for i := range 12 {
		text += fmt.Sprintf("i%d,%d.5,%d.5,%d.5,%d.25,%d.75,%d.5\n", i, i*7%5, i*5%12, i*3%7, i*7%12, i*i%13, i*i%7)
	}
	put(t, "x.csv", text)
	distances := func(distance string) []string {
		return build(t, "[data]\nfile = 'x.csv'\n[distance]\n"+distance).Notes
	}
	globe := `columns "lon" and "lat", coordinates by their names, are in X: --columns '!lon,!lat' leaves them out`
	plane := `columns "UTM_E" and "UTM_N", coordinates by their names, are in X: --columns '!UTM_E,!UTM_N' leaves them out`
	for distance, want := range map[string][]string{
		"kind = 'absolute'\ncolumns = ['age']":             {globe, plane},
		"kind = 'great-circle'":                            {plane},
		"kind = 'euclidean'\ncolumns = ['UTM_E', 'UTM_N']": {globe},
		"kind = 'euclidean'\ncolumns = ['lon', 'lat']": {
			"distances in degrees of lon and lat, which differ in length: --distance great-circle measures them on the Earth", plane},
	} {
		if notes := distances(distance); !slices.Equal(notes, want) {
			t.Errorf("%s: notes %q, want %q", distance, notes, want)
		}
	}
}

// What to do with text depends on how many kinds there are.
func TestTextIsLeftOutWithAdvice(t *testing.T) {
	text := "id,a,two,three,many,free\n"
	for i := range 2 * (maxKinds + 1) {
		text += fmt.Sprintf("i%d,%d.5,%s,%s,place %d,text %d\n", i, i*7%5, []string{"m", "f"}[i%2], []string{"4", "f", "r"}[i*7%3], i%(maxKinds+1), i)
	}
	put(t, "x.csv", text)
	want := []LeftOut{{"two", twoKinds}, {"three", fewKinds}, {"many", manyKinds}, {"free", notNumbers}}
	if got := build(t, "[data]\nfile = 'x.csv'\n").LeftOut; !slices.Equal(got, want) {
		t.Errorf("left out %q, want %q", got, want)
	}
	put(t, "y.csv", "id,a,price\nu,1,3 $\nv,2,4%\n")
	if got := build(t, "[data]\nfile = 'y.csv'\n").LeftOut; got[0].Reason != "numbers whose percent or currency signs differ, such as 3 $" {
		t.Errorf("left out %q", got)
	}
	put(t, "y.csv", "id,a,onset\nu,1,2020-03-01\nv,2,2.3.2020\n")
	if got := build(t, "[data]\nfile = 'y.csv'\n").LeftOut; got[0].Reason != "dates (they can measure distances: --distance absolute:onset)" {
		t.Errorf("left out %q", got)
	}
}
