package export

// The contents as arrays of NumPy, for .npz and Zarr.

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"aibd/draws"
	"aibd/feature"
)

// An array is an array of NumPy in C order.
type array struct {
	group, name string // group of ArviZ
	dims        []string
	shape       []int
	dtype       string             // NumPy's name
	entries     func(i int) []byte // entries with first index i; all for an array without dimensions
}

// arrays returns the contents. Numbers of items count from zero.
func (c *Contents) arrays() []array {
	drawn, n := []int{len(c.Chains), c.perChain()}, len(c.Items)
	add := func(group, name, dtype string, dims []string, sizes []int, entry func(row int, b []byte) []byte) array {
		return array{group, name, append([]string{"chain", "draw"}, dims...), append(slices.Clone(drawn), sizes...), dtype, func(chain int) []byte {
			var b []byte
			for i := range drawn[1] {
				b = entry(chain*drawn[1]+i, b)
			}
			return b
		}}
	}
	var all []array
	for _, col := range c.columns[len(index):] {
		group := "posterior"
		if col.name == draws.KeyLogLik || col.name == draws.KeyLogPrior {
			group = "sample_stats"
		}
		switch {
		case col.ints != nil:
			all = append(all, add(group, col.name, "<i4", nil, nil, func(row int, b []byte) []byte { return appendInt(b, col.ints[row]) }))
		case col.vector != "":
			if len(all) > 0 && all[len(all)-1].name == col.vector {
				continue // in the array of its vector
			}
			all = append(all, add(group, col.vector, "<f8", []string{"variable"}, []int{len(c.Variables)}, func(row int, b []byte) []byte {
				for _, entry := range c.columns {
					if entry.vector == col.vector {
						b = appendFloat(b, entry.floats[row])
					}
				}
				return b
			}))
		case col.floats != nil:
			all = append(all, add(group, col.name, "<f8", nil, nil, func(row int, b []byte) []byte { return appendFloat(b, col.floats[row]) }))
		case col.lists != nil:
			all = append(all, add(group, col.name, "<i4", []string{"position"}, []int{n}, func(row int, b []byte) []byte {
				for _, item := range col.lists[row] {
					b = appendInt(b, item)
				}
				return b
			}))
		default:
			maximum, dtype, size := maxFeatures(col.z), "|i1", 1
			if col.weights != nil {
				dtype, size = "<f4", 4
			}
			all = append(all, add(group, col.symbol(), dtype, []string{"item", "feature"}, []int{n, maximum}, func(row int, b []byte) []byte {
				start, one := len(b), 0
				b = append(b, make([]byte, n*maximum*size)...)
				eachFeature(col.z[row], func(k int, items []int) {
					for _, i := range items {
						entry := b[start+(i*maximum+k)*size:]
						if col.weights == nil {
							entry[0] = 1
							continue
						}
						binary.LittleEndian.PutUint32(entry, math.Float32bits(float32(col.weights[row][one])))
						one++
					}
				})
				return b
			}))
		}
	}
	if c.X != nil {
		all = append(all, array{"observed_data", "X", []string{"item", "variable"}, []int{n, len(c.Variables)}, "<f8", func(i int) []byte { return appendFloats(nil, c.X[i]) }})
	}
	for _, y := range c.ByCell {
		all = append(all, add(y.Group, "X", "<f8", []string{"item", "variable"}, []int{n, len(c.Variables)},
			func(row int, b []byte) []byte { return appendFloats(b, y.Values[row]) }))
	}
	return all
}

// maxFeatures returns the largest number of features.
func maxFeatures(all []*feature.Allocation) (maximum int) {
	for _, z := range all {
		maximum = max(maximum, z.K())
	}
	return maximum
}

func appendInt(b []byte, v int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(int32(v))) }

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func appendFloats(b []byte, values []float64) []byte {
	for _, v := range values {
		b = appendFloat(b, v)
	}
	return b
}

// numbers returns an array of numbers, which is a coordinate.
func numbers(name string, values []int) array {
	return array{"", name, []string{name}, []int{len(values)}, "<i4", func(i int) []byte { return appendInt(nil, values[i]) }}
}

// texts returns an array of texts, padded with zeros, which is a coordinate.
func texts(name string, values []string) array {
	width := 1
	for _, v := range values {
		width = max(width, utf8.RuneCountInString(v))
	}
	return array{"", name, []string{name}, []int{len(values)}, "<U" + strconv.Itoa(width), func(i int) []byte {
		b := make([]byte, 0, 4*width)
		for _, r := range values[i] {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
		}
		return append(b, make([]byte, 4*width-len(b))...)
	}}
}
