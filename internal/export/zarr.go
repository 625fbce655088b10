package export

// Zarr, version 2, in the layout of ArviZ.

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"aibd/draws"
	"aibd/internal/lists"
)

// zarrArray is the metadata of an array.
type zarrArray struct {
	Format     int            `json:"zarr_format"`
	Shape      []int          `json:"shape"`
	Chunks     []int          `json:"chunks"`
	DType      string         `json:"dtype"`
	Compressor map[string]any `json:"compressor"`
	FillValue  any            `json:"fill_value"`
	Order      string         `json:"order"`
	Filters    any            `json:"filters"`
}

// zarr calls do with each file of a store, which has one group for each group of ArviZ, and
// consolidated metadata.
func (c *Contents) zarr(do func(name string, content []byte) error) error {
	meta := map[string]any{".zgroup": map[string]int{"zarr_format": 2}, ".zattrs": map[string]any{"created_by": "aibd", "aibd_spec": json.RawMessage(c.Spec), "aibd_summary": json.RawMessage(c.Summary)}}
	iterations := lists.Make(c.perChain(), func(i int) int { return i + 1 })
	coordinates := []array{numbers("chain", c.Numbers), numbers("draw", iterations), texts("item", c.Items), texts("variable", c.Variables)}
	all := c.arrays()
	if lik, prior := c.column(draws.KeyLogLik), c.column(draws.KeyLogPrior); lik != nil && prior != nil {
		i := slices.IndexFunc(all, func(a array) bool { return a.name == draws.KeyLogLik })
		lp, draws := all[i], c.perChain()
		lp.name, lp.entries = "lp", func(chain int) (b []byte) {
			for row := chain * draws; row < (chain+1)*draws; row++ {
				b = appendFloat(b, lik.floats[row]+prior.floats[row])
			}
			return b
		}
		all = append(all, lp)
	}
	for _, a := range all {
		meta[a.group+"/.zgroup"], meta[a.group+"/.zattrs"] = meta[".zgroup"], map[string]any{"created_by": "aibd"}
		for _, coordinate := range coordinates {
			if slices.Contains(a.dims, coordinate.name) && meta[a.group+"/"+coordinate.name+"/.zarray"] == nil {
				coordinate.group = a.group
				if err := coordinate.store(meta, do); err != nil {
					return err
				}
			}
		}
		if err := a.store(meta, do); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		b, err := asciiJSON(meta[name])
		if err == nil {
			err = do(name, b)
		}
		if err != nil {
			return err
		}
	}
	b, err := asciiJSON(map[string]any{"zarr_consolidated_format": 1, "metadata": meta})
	if err != nil {
		return err
	}
	return do(".zmetadata", b)
}

// asciiJSON encodes v in ASCII, all that zarr-python 2 reads.
func asciiJSON(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	var b []byte
	for _, unit := range utf16.Encode([]rune(string(text))) {
		if unit < utf8.RuneSelf {
			b = append(b, byte(unit))
		} else {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b, err
}

// store stores an array, with a chunk for each chain, and adds its metadata.
func (a array) store(meta map[string]any, do func(name string, content []byte) error) error {
	path := a.group + "/" + a.name
	chunks := slices.Clone(a.shape)
	chunked := a.dims[0] == "chain" && len(a.dims) > 1
	if chunked {
		chunks[0] = 1
	}
	for i := range chunks {
		chunks[i] = max(1, chunks[i])
	}
	meta[path+"/.zarray"] = zarrArray{2, a.shape, chunks, a.dtype, map[string]any{"id": "zlib", "level": 1}, nil, "C", nil}
	meta[path+"/.zattrs"] = map[string][]string{"_ARRAY_DIMENSIONS": a.dims}
	var b bytes.Buffer
	compressed := func(chunk int, begin, end int) error {
		b.Reset()
		z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
		if err != nil {
			return err
		}
		for i := begin; i < end; i++ {
			if _, err := z.Write(a.entries(i)); err != nil {
				return err
			}
		}
		if err := z.Close(); err != nil {
			return err
		}
		return do(path+"/"+strconv.Itoa(chunk)+strings.Repeat(".0", len(a.shape)-1), bytes.Clone(b.Bytes()))
	}
	if slices.Contains(a.shape, 0) {
		return nil
	}
	if !chunked {
		return compressed(0, 0, a.shape[0])
	}
	for i := range a.shape[0] {
		if err := compressed(i, i, i+1); err != nil {
			return err
		}
	}
	return nil
}

// zarrZip writes a store as one archive, not compressed again.
func (c *Contents) zarrZip(w io.Writer) error {
	archive := zip.NewWriter(w)
	if err := c.zarr(func(name string, content []byte) error {
		f, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = f.Write(content)
		}
		return err
	}); err != nil {
		return err
	}
	return archive.Close()
}
