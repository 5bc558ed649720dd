package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/draw"
)

// FuzzPicture reads the size of pictures that were made elsewhere.
func FuzzPicture(f *testing.F) {
	fig, err := HeatMaps("matrix", []Matrix{{Rows: 1, Cols: 2, Data: []float64{1, 2}}})
	fig = rendered(f, fig, err)
	f.Add(fig.PNG)
	f.Add(fig.SVG)
	for _, svg := range []string{
		`<svg width="10pt" height="3px"/>`, `<svg width="1e5"/>`, `<svg width="-1" height="nan"/>`,
		`<svg width="infpt"/>`, `<html/>`, `<svg`,
		`<!DOCTYPE svg [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><svg width="&c;"/>`, strings.Repeat("<!-- -->", 100) +
			`<svg/>`, `<?xml version="1.0" encoding="utf-16"?><svg/>`,
	} {
		f.Add([]byte(svg))
	}
	// A header that states more pixels than the file has bytes.
	huge := bytes.Clone(fig.PNG[:33])
	copy(huge[16:], "\x7f\xff\xff\xff\x7f\xff\xff\xff")
	f.Add(huge)
	f.Fuzz(func(t *testing.T, picture []byte) {
		const most = math.MaxInt32
		if w, h, err := draw.SVGSize(picture); err == nil && (w < 0 || h < 0 || w > most || h > most) {
			t.Fatalf("an SVG of %d×%d", w, h)
		}
		if w, h, err := draw.PNGSize(picture); err == nil && (w < 0 || h < 0 || w > most || h > most) {
			t.Fatalf("a PNG of %d×%d", w, h)
		}
	})
}

// FuzzTable reads a table from a record. A valid table is the same after it was written and read again.
func FuzzTable(f *testing.F) {
	for _, text := range []string{
		`{"name":"t","columns":[{"name":"a"},{"name":"b","numeric":true}],` +
			`"rows":[[{"text":"x"},{"value":1e308,"mark":1}],[{},{}]]}`,
		`{"name":"t","columns":[],"rows":[[]]}`, `{"name":"../t"}`, `{"columns":[null],"rows":[[null]]}`,
		`{"rows":[[{"value":1e999}]]}`, `{"rows":[[{"mark":-1}]]}`, `{"rows":[null,[]]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var table Table
		if json.Unmarshal(text, &table) != nil || table.Check() != nil {
			return
		}
		first, err := json.Marshal(&table)
		if err != nil {
			t.Fatal(err)
		}
		var again Table
		if err := json.Unmarshal(first, &again); err != nil || again.Check() != nil {
			t.Fatalf("%s reads back with %v, %v", first, err, again.Check())
		}
		if second, err := json.Marshal(&again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s reads back as %s, %v", first, second, err)
		}
		var b bytes.Buffer
		if err := table.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if err := table.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
	})
}
