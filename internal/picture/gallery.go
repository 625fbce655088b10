package picture

import (
	"errors"
	"fmt"
	"sync"

	"aibd/internal/figure"
	"aibd/internal/model"
	"aibd/internal/results"
)

// A Kind is a picture that a run has.
type Kind struct {
	Name  string // in aibd plot
	Shows string // in a line
	draw  func(g *Gallery) (figure.Figure, error)
}

// Kinds are the pictures of a run.
var Kinds = []Kind{
	{"trace", "all scalars by scan and chain, with warmup, and their densities", ofJudged(Trace)},
	{"rank", "ranks of the draws of each chain among all, for all scalars", ofJudged(Rank)},
	{"density", "posterior densities by chain and of all chains, with the priors", ofJudged(Density)},
	{"temperatures", "temperatures of several distances, each against each, with the prior", (*Gallery).drawTemperatures},
	{"z", "the estimate of Z, items by features", ofEstimate(Z)},
	{"features", "each feature of the estimate: who has it, what it moves, how sure", ofEstimate(Features)},
	{"map", "the largest features of the estimate by place", (*Gallery).drawMap},
	{"sharing", "features that each pair of items shares; with weights, correlations", (*Gallery).drawSharing},
	{"sharing-distance", "features shared against distance: posterior, law without X, IBP", (*Gallery).drawDistance},
	{"correlogram", "how the correlation of weights falls with distance, beside fitted values", (*Gallery).drawCorrelogram},
	{"loadings", "what each feature of the estimate adds to each variable", ofEstimate(Loadings)},
	{"fit", "observed against fitted values, residuals, explained shares", (*Gallery).drawFit},
}

// Gallery draws the pictures of a run. It computes what several of them need once. It is safe
// for concurrent use.
type Gallery struct {
	*results.Judged
	// Estimate returns the estimate of aibd estimate with its default flags.
	Estimate func() (*results.Estimate, error)
	// Places returns the places of the items. It returns an error if the run measures no distances
	// in the plane or on the globe.
	Places func() (*model.Places, error)
	// Sharing returns the sharing of all pairs.
	Sharing func() *results.Sharing
}

// NewGallery returns the gallery of a run.
func NewGallery(j *results.Judged) *Gallery {
	return &Gallery{
		Judged:   j,
		Estimate: j.StandardEstimate,
		Places:   sync.OnceValues(j.Run.Places),
		Sharing:  sync.OnceValue(j.Sharing),
	}
}

// ErrNone is the error of a picture that the run does not have.
var ErrNone = errors.New("not a picture of this run")

// Draw draws a picture of Kinds. The error wraps ErrNone if the run does not have it.
func (g *Gallery) Draw(k Kind) (figure.Figure, error) { return k.draw(g) }

// ofJudged returns what draws a picture that needs the draws only.
func ofJudged(paint func(j *results.Judged) figure.Figure) func(g *Gallery) (figure.Figure, error) {
	return func(g *Gallery) (figure.Figure, error) { return paint(g.Judged), nil }
}

// ofEstimate returns what draws a picture that needs the estimate.
func ofEstimate(paint func(j *results.Judged, e *results.Estimate) figure.Figure) func(g *Gallery) (figure.Figure, error) {
	return func(g *Gallery) (figure.Figure, error) {
		e, err := g.Estimate()
		if err != nil {
			return figure.Figure{}, err
		}
		return paint(g.Judged, e), nil
	}
}

func (g *Gallery) drawMap() (figure.Figure, error) {
	places, err := g.Places()
	if err != nil {
		return figure.Figure{}, fmt.Errorf("%w: %w", ErrNone, err)
	}
	e, err := g.Estimate()
	if err != nil {
		return figure.Figure{}, err
	}
	return Map(g.Judged, e, places), nil
}

func (g *Gallery) drawSharing() (figure.Figure, error) {
	s := *g.Sharing()
	if err := s.AddSignals(g.Judged, 250); err != nil {
		return figure.Figure{}, err
	}
	return Sharing(g.Judged, &s), nil
}

func (g *Gallery) drawDistance() (figure.Figure, error) {
	if g.Sharing().ByDistance == nil {
		return figure.Figure{}, fmt.Errorf("%w: the prior has no distances", ErrNone)
	}
	return SharingDistances(g.Judged, g.Sharing()), nil
}

func (g *Gallery) drawFit() (figure.Figure, error) {
	if !observed(g.Seen.Latent) {
		return figure.Figure{}, fmt.Errorf("%w: found no columns of numbers, which have residuals", ErrNone)
	}
	e, err := g.Estimate()
	if err != nil {
		return figure.Figure{}, err
	}
	fitted, err := g.Fitted(250)
	if err != nil {
		return figure.Figure{}, err
	}
	return Fit(g.Judged, e, fitted), nil
}
