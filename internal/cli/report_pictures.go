package cli

// The pictures of a report.

import (
	"fmt"
	"slices"
	"strings"

	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/report"
)

// inReport returns a figure as a picture of a report. Finding says in words what it shows.
func inReport(f figure.Figure, caption, finding string) (report.Picture, error) {
	svg, err := f.Encode("svg")
	caption = strings.ToUpper(caption[:1]) + caption[1:] + "."
	if f.Warning != "" {
		finding = f.Warning + ". " + finding
	}
	return report.Picture{Caption: caption, Alt: caption + " " + finding, SVG: svg}, err
}

// A view is a picture of aibd plot by its name, with what it shows in words.
type view struct{ name, finding string }

// views draws pictures of the run.
func (r *reported) views(all ...view) (blocks []report.Block, err error) {
	for _, v := range all {
		kind := picture.Kinds[slices.IndexFunc(picture.Kinds, func(k picture.Kind) bool { return k.Name == v.name })]
		f, err := r.gallery.Draw(kind)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		p, err := inReport(f, kind.Shows, v.finding)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		blocks = append(blocks, p)
	}
	return blocks, nil
}
