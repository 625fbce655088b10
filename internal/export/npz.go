package export

// NumPy's .npz.

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// npz writes an archive of arrays that numpy.load reads.
func (c *Contents) npz(w io.Writer) error {
	archive := zip.NewWriter(w)
	all := append(c.arrays(), numbers("chain", c.Numbers), texts("items", c.Items), texts("variables", c.Variables))
	for _, text := range []struct {
		name string
		json []byte
	}{{"spec", c.Spec}, {"summary", c.Summary}} {
		a := texts(text.name, []string{string(text.json)})
		a.shape = nil
		all = append(all, a)
	}
	for _, a := range all {
		name := a.name
		if name == "X" && a.group != "observed_data" {
			name = a.group
		}
		f, err := archive.Create(name + ".npy")
		if err != nil {
			return err
		}
		if _, err := f.Write(npyHeader(a)); err != nil {
			return err
		}
		for i := range append(a.shape, 1)[0] {
			if _, err := f.Write(a.entries(i)); err != nil {
				return err
			}
		}
	}
	return archive.Close()
}

// npyHeader returns what stands before the entries, see numpy.lib.format.
func npyHeader(a array) []byte {
	var shape strings.Builder
	for _, n := range a.shape {
		shape.WriteString(strconv.Itoa(n) + ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", a.dtype, shape.String())
	const magic = "\x93NUMPY\x01\x00"
	padding := 64 - (len(magic)+2+len(text)+1)%64
	text += strings.Repeat(" ", padding) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte(magic), uint16(len(text))), text...)
}
