package dataset

// The data of the paper's application.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// AlzheimersSHA256 is the SHA-256 of the file that ParseAlzheimers reads.
const AlzheimersSHA256 = "de45d00578b89c8336b474eb89134344eb3c068040a7ffb459099a0efe1d9af2"

// AlzheimersSource is the publication of which that file is an extract.
const AlzheimersSource = "UCLA SOCR data page SOCR_Data_July2009_ID_NI, http://wiki.socr.umich.edu/index.php/SOCR_Data_July2009_ID_NI"

// maxAlzheimers is the max size of the file in bytes.
const maxAlzheimers = 1 << 20

// ParseAlzheimers reads the data of the paper's application: 62 subjects (27
// with Alzheimer's disease, AD, and 35 normal controls, NC), surface area SA,
// shape index SI, curvedness CV and fractal dimension FD of 56 brain regions
// (224 columns, 1SA, 1SI, 1CV, 1FD, 2SA and so on), group, and age in years. Errors begin
// with name.
//
// The data are not part of this project. The file is an extract of the data page in
// Source: the header subject,group,age,1SA,...,56FD and the rows of the AD and NC
// subjects in the order of the page. It omits the 42 subjects with mild cognitive
// impairment, sex, test scores and volumes. ParseAlzheimers checks the SHA-256 and returns
// an error for any other content.
func ParseAlzheimers(r io.Reader, name string) (*Set, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxAlzheimers+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(content) > maxAlzheimers {
		return nil, fmt.Errorf("%s: found a file of more than %d MB, expected the extract of 62 subjects by 224 variables from %s (Dinov et al., 2009), with SHA-256 %s", name, maxAlzheimers>>20, AlzheimersSource, AlzheimersSHA256)
	}
	sum := sha256.Sum256(content)
	if hash := hex.EncodeToString(sum[:]); hash != AlzheimersSHA256 {
		return nil, fmt.Errorf("%s: found a file with SHA-256 %s, expected %s, the extract of 62 subjects by 224 variables from %s (Dinov et al., 2009)", name, hash, AlzheimersSHA256, AlzheimersSource)
	}
	t, err := ReadTable(bytes.NewReader(content), name, "subject")
	if err != nil {
		return nil, err
	}
	return &Set{
		Name:  "alzheimers",
		Title: "Shape of 56 brain regions of 62 subjects with and without Alzheimer's disease",
		Description: "Surface area (SA), shape index (SI), curvedness (CV) and fractal dimension (FD) of 56 brain regions of 27 subjects with Alzheimer's disease (AD) and 35 normal controls (NC), with their ages in years. " +
			"Some rows look like repeated scans of the same person.",
		Source: AlzheimersSource,
		Citation: "Dinov, I. D., Van Horn, J. D., Lozev, K. M., Magsipoc, R., Petrosyan, P., Liu, Z., MacKenzie-Graham, A., Eggert, P., Parker, D. S. and Toga, A. W. (2009). " +
			"Efficient, distributed and interactive neuroimaging data analysis using the LONI Pipeline. Frontiers in Neuroinformatics 3:22. doi:10.3389/neuro.11.022.2009",
		Terms:     "CC BY 3.0, as all SOCR data pages, which ask for citation. Not part of this project.",
		X:         t.columns(t.Columns[2:]...),
		Side:      t.columns("group", "age"),
		Transform: Transform{Log: []string{"*SA"}, Center: true, Scale: true},
	}, nil
}
