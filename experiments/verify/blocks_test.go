package verify

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// attention reads the positions of a map as tokens and projects them to queries, keys and values of two heads. A second
// layer reads the outputs of the heads.
type attention struct{}

// Build implements [models.Layer].
func (attention) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	s := x.Shape()
	d := s[3]
	x = b.Reshape(x, s[0], s[1]*s[2], d)
	x = b.LinearLayer(name+".in", x, b.Param(name+".in", "weight", nil, 3*d, d), nil)
	b.Parts(name+".in", graph.QueryKeyValue(d, 2)...)
	x = b.LinearLayer(name+".out", b.Tanh(x), b.Param(name+".out", "weight", nil, d, 3*d), nil)
	b.Parts(name+".out", graph.Part{Heads: 2, HeadColumns: true})
	return b.Reshape(x, s...)
}

// attentive returns a verification of a network with attention heads.
func attentive(t *testing.T) *Verification {
	t.Helper()
	a := &models.Architecture{
		Name: "attentive", Input: models.Shape{Channels: 1, Height: 28, Width: 28},
		Root: models.Sequential{
			{Name: "patch", Layer: models.Conv{Filters: 4, Kernel: [2]int{7, 7}, Geometry: graph.Square(7, 0)}},
			{Name: "block", Layer: attention{}}, {Layer: models.Tanh{}}, {Name: "fc", Layer: models.Linear{}},
		},
	}
	s := Spec{DataSpec: input.DataSpec{Data: "glyphs"}, Images: 12, NullDraws: 3, Groups: 3}
	src, err := input.Open(s.DataSpec, a)
	if err != nil {
		t.Fatal(err)
	}
	net, err := a.InitNetwork(a.Input, len(src.Dataset.Classes()), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Normalise(s.DataSpec, a); err != nil {
		t.Fatal(err)
	}
	v, err := NewVerificationOf(s, net, src)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Attention heads are in the record and in a table of the page.
func TestHeads(t *testing.T) {
	r, err := attentive(t).Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range r.Layers {
		names = append(names, l.Layer)
		if heads := len(l.Heads); heads != map[bool]int{true: 2, false: 0}[strings.HasPrefix(l.Layer, "block")] {
			t.Errorf("%s has %d heads", l.Layer, heads)
		}
	}
	if want := []string{"patch", "block.in/query", "block.in/key", "block.in/value", "block.out", "fc"}; !reflect.
		DeepEqual(names, want) {
		t.Errorf("layers %v, want %v", names, want)
	}
	text, err := json.Marshal(r.Layers[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"heads":[{"head":0,"pearson":`, `{"head":1,`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	var table bytes.Buffer
	if err := r.HeadsTable().WriteText(&table); err != nil || strings.Count(table.String(), "block.") != 4 {
		t.Errorf("%v:\n%s", err, table.String())
	}
	if !strings.Contains(r.Conventions.Similarity, "heads") || strings.Contains(r.Conventions.Similarity, "groups") {
		t.Errorf("similarity is described as %q", r.Conventions.Similarity)
	}
	if _, err := r.Save(t.Context(), t.TempDir()); err != nil {
		t.Error(err)
	}
	if first := r.page.Figures[0]; strings.Contains(first.Caption, "initial") {
		t.Errorf("without initial weights: %s", first.Caption)
	}
}

// The record says if the null of a layer permutes S among the channels. Such a layer is not judged if the permutation
// changes nothing.
func TestNotJudged(t *testing.T) {
	one := cnfa.Ansatz{Similarity: cnfa.Similarity{Pearson: .5, PearsonNull: .5, Null: cnfa.Permutation}}
	once := one
	once.NullDraws = 1
	if r := similarity.NewAnsatzRecord(once); r.NotJudged != "" {
		t.Errorf("one draw, which has no spread, says %q", r.NotJudged)
	}
	spread := one
	spread.PearsonNullSD = .1
	r := &Record{Layers: []LayerRecord{
		{Layer: "equal", Groups: 3, Filters: 3, AnsatzRecord: similarity.NewAnsatzRecord(one)},
		{Layer: "spread", Groups: 3, Filters: 3, AnsatzRecord: similarity.NewAnsatzRecord(spread)},
	}}
	for i, want := range []bool{true, false} {
		if l := r.Layers[i]; (l.NotJudged != "") != want || l.NullKind != "permutation" {
			t.Errorf("%s: %q, %q", l.Layer, l.NotJudged, l.NullKind)
		}
	}
	if s := r.Summary(); !strings.HasPrefix(s, "0 of 1 layer lies") || !strings.Contains(s, "One layer is shown") {
		t.Error(s)
	}
	var table bytes.Buffer
	if err := r.Table().WriteText(&table); err != nil || !strings.Contains(table.String(), "groups") {
		t.Errorf("%v:\n%s", err, table.String())
	}
}

// The blocks of a moment can be written to a file and read again.
func TestPartWithBlocks(t *testing.T) {
	one := moment.Of(mat.NewSymDense(2, []float64{1, 2, 2, 3}))
	two := moment.Of(mat.NewSymDense(2, []float64{4, 5, 5, 6}))
	single := moment.Of(mat.NewSymDense(1, []float64{7}))
	want := &cnfa.Part{Images: 2, Backend: "go", Batch: 1, Moments: []moment.Moment{
		moment.OfBlocks([]moment.Moment{one, two}), one, moment.OfBlocks([]moment.Moment{single, single, single}),
		moment.OfRows(mat.NewDense(1, 3, []float64{1, 2, 3})),
	}}
	dir := filepath.Join(t.TempDir(), "part")
	if err := WritePart(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadPart(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Moments) != len(want.Moments) || got.Images != 2 || got.Backend != "go" || got.Batch != 1 {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i, m := range got.Moments {
		if len(m.Blocks()) != len(want.Moments[i].Blocks()) || !mat.Equal(m.Sym(), want.Moments[i].Sym()) {
			t.Errorf("moment %d is\n%v", i, mat.Formatted(m.Sym()))
		}
	}
}
