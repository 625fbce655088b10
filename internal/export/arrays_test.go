package export

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"
)

// npzOf returns the header and the entries of each array of an .npz.
func npzOf(t *testing.T, c *Contents) (headers map[string]string, entries map[string][]byte) {
	t.Helper()
	var b bytes.Buffer
	if err := c.npz(&b); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	headers, entries = map[string]string{}, map[string][]byte{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(f.Name, ".npy")
		end := 10 + int(binary.LittleEndian.Uint16(content[8:]))
		if end%64 != 0 || string(content[:8]) != "\x93NUMPY\x01\x00" {
			t.Errorf("%s: the header ends at %d after %q", name, end, content[:8])
		}
		headers[name], entries[name] = strings.TrimSpace(string(content[10:end])), content[end:]
	}
	return headers, entries
}

// TestArrays reads .npz and Zarr back: headers, values, and that both hold the same entries.
// The run has no missing array; the other readers compare every value.
func TestArrays(t *testing.T) {
	c := contents(t, true)
	headers, entries := npzOf(t, c)
	if want := "{'descr': '<f8', 'fortran_order': False, 'shape': (2,4,), }"; headers["mass"] != want {
		t.Errorf("mass: found the header %s, expected %s", headers["mass"], want)
	}
	var masses []byte
	for _, chain := range c.Chains {
		for _, d := range chain {
			masses = appendFloat(masses, d.Mass)
		}
	}
	if !bytes.Equal(entries["mass"], masses) {
		t.Error("mass: found other values")
	}

	store := map[string][]byte{}
	if err := c.zarr(func(name string, content []byte) error {
		store[name] = bytes.Clone(content)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var all struct {
		Metadata map[string]json.RawMessage
	}
	if err := json.Unmarshal(store[".zmetadata"], &all); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for name, text := range all.Metadata {
		if !bytes.Equal(store[name], text) {
			t.Errorf("%s: the consolidated metadata differ", name)
		}
		dir, isArray := strings.CutSuffix(name, "/.zarray")
		if !isArray {
			continue
		}
		var meta zarrArray
		if err := json.Unmarshal(text, &meta); err != nil {
			t.Fatal(err)
		}
		var got []byte
		for i := range meta.Shape[0] / meta.Chunks[0] {
			r, err := zlib.NewReader(bytes.NewReader(store[dir+"/"+fmt.Sprint(i)+strings.Repeat(".0", len(meta.Shape)-1)]))
			if err != nil {
				t.Fatalf("%s, chunk %d: %v", dir, i, err)
			}
			chunk, err := io.ReadAll(r)
			if err != nil {
				t.Fatalf("%s, chunk %d: %v", dir, i, err)
			}
			got = append(got, chunk...)
		}
		key := path.Base(dir)
		if group := path.Dir(dir); key == "X" && group != "observed_data" {
			key = group
		}
		if want, ok := entries[key]; ok {
			compared++
			if !bytes.Equal(got, want) {
				t.Errorf("%s: found %d bytes that differ from the %d of .npz", dir, len(got), len(want))
			}
		}
	}
	if compared < 10 {
		t.Errorf("compared %d arrays, expected at least 10", compared)
	}
}

// TestRDS finds masses and names in the file, which is compressed and in R's binary format of
// version 2.
func TestRDS(t *testing.T) {
	for _, order := range []bool{true, false} {
		c := contents(t, order)
		var b bytes.Buffer
		if err := c.rds(&b); err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(content, []byte("X\n\x00\x00\x00\x02")) {
			t.Errorf("begins with %q", content[:6])
		}
		var masses []float64
		for _, d := range slices.Concat(c.Chains...) {
			masses = append(masses, d.Mass)
		}
		column, err := binary.Append(nil, binary.BigEndian, masses)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range [][]byte{column, []byte(c.Items[0])} {
			if !bytes.Contains(content, want) {
				t.Errorf("found no %q", want)
			}
		}
	}
}
