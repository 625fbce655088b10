package dataset

// Built-in data.

import (
	"bytes"
	_ "embed"
	"fmt"

	"aibd/internal/hint"
)

// Set is data with its provenance.
type Set struct {
	Name        string // the argument of Load
	Title       string
	Description string // of rows, columns and known errors
	Source      string // where the data were published
	Citation    string // what to cite
	Terms       string // of use
	X           *Table // items by variables, all numbers
	Side        *Table // covariates and labels of the same items in the same order
	Transform   Transform
}

//go:embed data/usstates.csv
var usStatesX []byte

//go:embed data/usstates_side.csv
var usStatesSide []byte

//go:embed data/sites.csv
var sitesX []byte

//go:embed data/sites_side.csv
var sitesSide []byte

// Names returns the names of the built-in sets.
func Names() []string { return []string{"sites", "usstates"} }

// Load returns the built-in set of the given name.
func Load(name string) (*Set, error) {
	switch name {
	case "sites":
		return sites(), nil
	case "usstates":
		return usStates(), nil
	}
	return nil, hint.Unknown("data set", name, Names())
}

// sites is a small set whose features are known, and belong to items that are near each other.
func sites() *Set {
	return &Set{
		Name:  "sites",
		Title: "24 simulated sites, with places and known features",
		Description: "Six variables of 24 sites in 9 by 3 degrees. There are three features: those of the sites within 150 km of (6.5, 47.2), (9.5, 47.8) and (12.5, 47), which add 3 to a and b, to c and d, and to e and f. " +
			"Sites may have two or none. The rest is 10 and normal noise with standard deviation 0.5. Beside them: longitude and latitude in degrees.",
		Source:    "Simulated for this project.",
		Citation:  "None is needed.",
		Terms:     "In the public domain.",
		X:         embedded("sites.csv", sitesX),
		Side:      embedded("sites_side.csv", sitesSide),
		Transform: Transform{Center: true},
	}
}

// usStates is the 50 states of the USA in the 1970s. The paper's example of five
// states (New Hampshire, Iowa, Wisconsin, California, Nevada) is the first four
// columns, centred and scaled over those five alone.
func usStates() *Set {
	return &Set{
		Name:  "usstates",
		Title: "The 50 states of the USA in the 1970s",
		Description: "Arrests per 100,000 residents in 1973 (Murder.arrests, Assault, Rape) and percent urban population (UrbanPop); " +
			"population in thousands (1975), income per head in dollars (1974), percent illiterate (1970), life expectancy in years (1969-71), " +
			"murder and manslaughter per 100,000 (Murder.rate, 1976), percent high-school graduates (1970), mean number of days with frost in the capital or a large city (1931-60), land area in square miles. " +
			"Beside them: longitude and latitude of the centre in degrees, with Alaska and Hawaii placed off the west coast, and the region of the Census Bureau. " +
			"UrbanPop is as in McNeil (1977), who has 67 for Maryland where his source has 76.6.",
		Source: "World Almanac and Book of Facts 1975; US Bureau of the Census, Statistical Abstract of the United States 1975 and 1977; " +
			"US Bureau of the Census, County and City Data Book 1977; the R data sets USArrests, state.x77, state.center and state.region.",
		Citation: "McNeil, D. R. (1977). Interactive Data Analysis. New York: Wiley. US Department of Commerce, Bureau of the Census (1977). Statistical Abstract of the United States.",
		Terms:    "Facts from tables of the government of the United States, in the public domain.",
		X:        embedded("usstates.csv", usStatesX),
		Side:     embedded("usstates_side.csv", usStatesSide),
		Transform: Transform{
			Center: true,
			Scale:  true,
		},
	}
}

func embedded(name string, content []byte) *Table {
	t, err := ReadTable(bytes.NewReader(content), name, "")
	if err != nil {
		panic(fmt.Sprintf("dataset: built-in data: %v", err))
	}
	return t
}
