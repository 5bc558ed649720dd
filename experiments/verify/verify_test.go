package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
	"github.com/ansatz-lab/ansatz/models/zoo"
)

func TestParseOutputs(t *testing.T) {
	for text, want := range map[string]int{"": 0, "all": 0, "probes:1": 1, "probes:16": 16} {
		if n, err := ParseOutputs(text); err != nil || n != want {
			t.Errorf("%q: %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"probes", "probes:", "probes:0", "probes:-3", "probes:x", "probes:9999999", "ALL",
		"all "} {
		if _, err := ParseOutputs(text); !input.IsError(err) {
			t.Errorf("%q: %v, want an input error", text, err)
		}
	}
}

func FuzzParseOutputs(f *testing.F) {
	for _, s := range []string{"all", "probes:16", "probes:-1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseOutputs(s)
		if err == nil && n > 0 && !strings.HasPrefix(s, "probes:") || n < 0 || n > 1e6 || err != nil &&
			!input.IsError(err) {
			t.Fatalf("%q: %d, %v", s, n, err)
		}
	})
}

func layer(name string, pearson, null, sd float64) LayerRecord {
	return LayerRecord{Layer: name, AnsatzRecord: similarity.AnsatzRecord{
		Pearson: &pearson, PearsonNull: &null, PearsonNullSD: &sd, Excess: record.Ptr(pearson - null),
	}}
}

// A layer counts as above its null if it exceeds it by two standard deviations, of the null and of the measurement
// together. A layer is not judged if its null has no spread or its similarity is not defined.
func TestSummary(t *testing.T) {
	r := &Record{Layers: []LayerRecord{
		layer("above", .9, .5, .1), layer("within", .65, .5, .1), layer("below", .2, .5, .1),
		layer("isotropic", 1, 1, 0), {Layer: "dead", AnsatzRecord: similarity.AnsatzRecord{Undefined: "zero"}},
	}}
	noisy := layer("noisy", .9, .5, .1)
	noisy.PearsonStdErr = record.Ptr(.3)
	if above, ok := noisy.Above(); above || !ok {
		t.Errorf("a measurement of .9 ± .3 counts as above .5 ± .1")
	}
	if got, want := r.Summary(), "1 of 3 layers lies above its null by 2 standard deviations; on average the "+
		"similarity is 0.583, its null 0.500, the excess +0.083."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	none := &Record{Layers: []LayerRecord{layer("isotropic", 1, 1, 0)}}
	if !strings.HasPrefix(none.Summary(), "No layer can be judged") {
		t.Error(none.Summary())
	}
	series, _ := r.Series("x")
	for i, l := range r.Layers {
		above, ok := l.Above()
		if chartAbove, chartOK := series.Above(i); chartAbove != above || chartOK != ok {
			t.Errorf("%s: above %v, %v in the table, %v, %v in the chart", l.Layer, above, ok, chartAbove, chartOK)
		}
	}
}

// The rows of the table have as many cells as it has columns, with powers of the AGOP and without.
func TestTableWithPowers(t *testing.T) {
	r := &Record{Layers: []LayerRecord{layer("a", .9, .5, .1), {Layer: "dead"}}}
	r.Layers[0].AnsatzRecord.Powers = []similarity.PowerRecord{{Exponent: .5, Pearson: .95, PearsonNull: .9}}
	for _, powers := range [][]float64{nil, {.25, .5}} {
		r.Powers = powers
		table := r.Table()
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("powers %v: %d cells for %d columns", powers, len(row), len(table.Columns))
			}
		}
	}
	if row := r.Table().Rows[0]; row[len(row)-5].Value != .95 || math.Abs(row[len(row)-2].Value-.5) > 1e-12 {
		t.Errorf("%+v", row)
	}
}

// spec returns the spec of a verification of a network with two convolutions, the second of which has weights 0.
func spec(t *testing.T) Spec { return specWithout(t, "b.weight") }

// specWithout writes a network with two convolutions in which the named weights are 0. It returns the spec of its
// verification.
func specWithout(t *testing.T, zero ...string) Spec {
	t.Helper()
	dir := t.TempDir()
	arch := filepath.Join(dir, "net.toml")
	text := "input = [1, 28, 28]\n"
	for _, name := range []string{"a", "b"} {
		text += fmt.Sprintf("[[layer]]\ntype = \"conv\"\nname = %q\nfilters = 4\nkernel = "+
			"3\n[[layer]]\ntype = \"relu\"\n", name)
	}
	text += "[[layer]]\ntype = \"globalavgpool\"\n[[layer]]\ntype = \"linear\"\nname = \"fc\"\n"
	if err := os.WriteFile(arch, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	a, err := zoo.Lookup(arch)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range zero {
		n.Value(name).Zero()
	}
	file := filepath.Join(dir, "net.safetensors")
	if err := weights.Save(file, n.StateDict(), nil); err != nil {
		t.Fatal(err)
	}
	return Spec{DataSpec: input.DataSpec{Data: "glyphs"}, Arch: arch, Weights: file, Images: 12, NullDraws: 3,
		Groups: 3}
}

// verified returns the verification of a spec.
func verified(t *testing.T, s Spec) *Verified {
	t.Helper()
	v, err := NewVerification(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := v.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The record has no numbers for a layer without a similarity, but the reason. The report can still be written.
func TestUndefinedLayer(t *testing.T) {
	r := verified(t, spec(t))
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back struct{ Layers []map[string]any }
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	dead := back.Layers[1]
	if _, there := dead["pearson"]; there || !strings.Contains(fmt.Sprint(dead["undefined"]), "zero") {
		t.Errorf("the dead layer is %v", dead)
	}
	var table bytes.Buffer
	if err := r.Table().WriteText(&table); err != nil || !strings.Contains(table.String(), "–") {
		t.Errorf("%v:\n%s", err, table.String())
	}
	if _, err := r.Save(context.Background(), t.TempDir()); err != nil {
		t.Error(err)
	}
}

// The same request gives the same record, except for the time.
func TestSameRecord(t *testing.T) {
	s := spec(t)
	var first string
	for range 2 {
		r := verified(t, s)
		r.Seconds = 0
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		} else if string(text) != first {
			t.Errorf("records differ:\n%s\n%s", first, text)
		}
	}
}

func TestInitialWeights(t *testing.T) {
	s := spec(t)
	s.InitWeights = s.Weights
	r := verified(t, s)
	if p := r.Layers[0].PearsonInit; p == nil || *p < .999999 {
		t.Errorf("similarity with the same weights as initial ones: %v", p)
	}
	if !strings.Contains(r.Conventions.Init, s.InitWeights) {
		t.Errorf("the record says %q of the initial weights", r.Conventions.Init)
	}
	s.MinusInit = true // W − W₀ = 0: no similarity is defined, and the run still succeeds
	if r := verified(t, s); r.Layers[0].Undefined == "" {
		t.Errorf("%+v", r)
	}
}

// Every measured statement is in a table: the ansatz and its powers in that of the layers, others in one of their own.
func TestStatementsAreShown(t *testing.T) {
	for statements, tables := range map[string]int{"nfa,nfa^0.5": 1, "nfa^0.5": 1, "fact": 2, "fact,nfa^0.5": 2, "nfa^fit": 2} {
		s := spec(t)
		s.Alignments = statements
		r := verified(t, s)
		if n := len(r.Tables()); n != tables {
			t.Errorf("%s: %d tables, want %d", statements, n, tables)
		}
	}
}

// What cannot be measured is said, and a statement that needs the weights before training is refused if it is named.
func TestNotMeasured(t *testing.T) {
	s := spec(t)
	s.Alignments, s.NullDraws = "all", 1
	r := verified(t, s)
	for _, want := range []string{"Accuracy is not shown: the network has 3 outputs, the dataset 10 classes.",
		"c-nfa (of W − W₀) is not measured: it needs the weights before training (--init-weights)."} {
		if !strings.Contains(r.Setting(), want) {
			t.Errorf("%s, want %s", r.Setting(), want)
		}
	}
	if want := "those of the CRH but crh-b-gwa"; !strings.Contains(r.Conventions.Statements, want) {
		t.Errorf("%s, want %s", r.Conventions.Statements, want)
	}
	for _, l := range r.Layers {
		if (l.PearsonNull == nil) != (l.Undefined != "") || l.PearsonNullSD != nil || l.Alignments[0].NullSD != nil {
			t.Errorf("one draw of the null has a standard deviation: %+v", l)
		}
	}
	for list, want := range map[string]string{"nfa, c-nfa": "give --init-weights", ",": "want names of statements"} {
		s.Alignments = list
		if _, err := NewVerification(s); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", list, err, want)
		}
	}
}

// A network that was trained on other classes has no accuracy, and the record says why. One group of images gives no
// standard error.
func TestOtherClasses(t *testing.T) {
	a, err := models.Lookup("linear")
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(models.Shape{Channels: 1, Height: 28, Width: 28}, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "net.safetensors")
	metadata := map[string]string{input.ClassesMetadata: `["a","b","c","d","e","f","g","h","i","j"]`}
	if err := weights.Save(file, n.StateDict(), metadata); err != nil {
		t.Fatal(err)
	}
	r := verified(t, Spec{DataSpec: input.DataSpec{Data: "glyphs"}, Arch: "linear", Weights: file, Images: 5, Groups: 1, NullDraws: 2})
	if r.Accuracy != nil || !strings.Contains(r.Setting(), "Accuracy is not shown: the network was trained on other classes") {
		t.Errorf("accuracy %v; %s", r.Accuracy, r.Setting())
	}
	if got := r.Conventions.StdErr; got != "none: there is one group of images" || r.Layers[0].PearsonStdErr != nil {
		t.Errorf("standard error %v: %s", r.Layers[0].PearsonStdErr, got)
	}
}
