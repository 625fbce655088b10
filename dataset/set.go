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

//go:embed data/usarrests.csv
var usArrestsX []byte

//go:embed data/usstates.csv
var usStatesX []byte

//go:embed data/usstates_side.csv
var usStatesSide []byte // of usarrests too

//go:embed data/sites.csv
var sitesX []byte

//go:embed data/sites_side.csv
var sitesSide []byte

// Names returns the names of the built-in sets.
func Names() []string { return []string{"sites", "usarrests", "usstates"} }

// Load returns the built-in set of the given name.
func Load(name string) (*Set, error) {
	switch name {
	case "sites":
		return sites(), nil
	case "usarrests":
		return usArrests(), nil
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

const (
	statesBeside = "Beside them: longitude and latitude of the center in degrees, with Alaska and Hawaii placed off the west coast, and the region of the Census Bureau."
	statesTerms  = "Facts from tables of the government of the United States, in the public domain."
)

// usArrests is USArrests of R. The paper's example of five states (New Hampshire, Iowa,
// Wisconsin, California, Nevada) is centered and scaled over those five alone.
func usArrests() *Set {
	return &Set{
		Name:  "usarrests",
		Title: "Arrests in the 50 states of the USA in 1973: R's USArrests",
		Description: "Arrests per 100,000 residents for murder, assault and rape (1973), and percent urban population (UrbanPop). " + statesBeside +
			" UrbanPop is as in McNeil (1977), who has 67 for Maryland where his source has 76.6.",
		Source:    "World Almanac and Book of Facts 1975; US Bureau of the Census, Statistical Abstract of the United States 1975; the R data sets USArrests, state.center and state.region.",
		Citation:  "McNeil, D. R. (1977). Interactive Data Analysis. New York: Wiley.",
		Terms:     statesTerms,
		X:         embedded("usarrests.csv", usArrestsX),
		Side:      embedded("usstates_side.csv", usStatesSide),
		Transform: Transform{Center: true, Scale: true},
	}
}

// usStates is state.x77 of R.
func usStates() *Set {
	return &Set{
		Name:  "usstates",
		Title: "The 50 states of the USA in the 1970s: R's state.x77",
		Description: "Population in thousands (1975), income per head in dollars (1974), percent illiterate (1970), life expectancy in years (1969-71), " +
			"murder and manslaughter per 100,000 (1976), percent high-school graduates (1970), mean number of days with frost in the capital or a large city (1931-60), land area in square miles. " + statesBeside,
		Source: "US Bureau of the Census, Statistical Abstract of the United States 1977; " +
			"US Bureau of the Census, County and City Data Book 1977; the R data sets state.x77, state.center and state.region.",
		Citation:  "US Department of Commerce, Bureau of the Census (1977). Statistical Abstract of the United States. County and City Data Book.",
		Terms:     statesTerms,
		X:         embedded("usstates.csv", usStatesX),
		Side:      embedded("usstates_side.csv", usStatesSide),
		Transform: Transform{Center: true, Scale: true},
	}
}

func embedded(name string, content []byte) *Table {
	t, err := ReadTable(bytes.NewReader(content), name, "")
	if err != nil {
		panic(fmt.Sprintf("dataset: built-in data: %v", err))
	}
	return t
}
