package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
)

func main() {
	dir := os.Args[1]
	a, err := fromonnx.Open(dir + "/model.onnx")
	if err != nil {
		panic(err)
	}
	n, err := a.Load(a.Weights, a.Input)
	if err != nil {
		panic(err)
	}
	var w struct{ Logits [][]float64 }
	b, _ := os.ReadFile(dir + "/layers.json")
	json.Unmarshal(b, &w)
	files, _ := filepath.Glob(dir + "/images/a/*.png")
	d, _ := backend.Open(backend.Options{})
	f, err := n.Function(d, len(files), graph.Single)
	if err != nil {
		panic(err)
	}
	x := f.Data(f.Inputs()[0]).Float32s()
	mean, sd := []float32{.485, .456, .406}, []float32{.229, .224, .225}
	i := 0
	for _, p := range files {
		r, _ := os.Open(p)
		im, _, _ := image.Decode(r)
		for y := range im.Bounds().Dy() {
			for xx := range im.Bounds().Dx() {
				r, g, b, _ := im.At(xx, y).RGBA()
				for c, v := range []uint32{r, g, b} {
					x[i] = (float32(v>>8)/255 - mean[c]) / sd[c]
					i++
				}
			}
		}
	}
	for _, l := range f.Layers {
		m, err := f.MomentsOf([]graph.Source{l.Source(graph.Part{To: l.Filters()})}, graph.Outputs{})
		if err != nil {
			panic(err)
		}
		if err := m.Batch(context.Background(), len(files), nil); err != nil {
			panic(err)
		}
		s := m.Take()[0]
		at, tr := 0, 0.
		for _, b := range s.Blocks() {
			a := b.Sandwich(f.Filters(l).Slice(at, at+b.N(), 0, l.PatchSize()))
			at += b.N()
			for i := range l.PatchSize() {
				tr += a.At(i, i)
			}
		}
		fmt.Println(l.Name, tr/float64(len(files)))
	}
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		panic(err)
	}
	if err := p.Run(context.Background()); err != nil {
		panic(err)
	}
	out := p.Value(f.Output).Float32s()
	k := len(w.Logits[0])
	for i := range files {
		worst := 0.
		for j := range k {
			worst = max(worst, abs(float64(out[i*k+j])-w.Logits[i][j]))
		}
		fmt.Println("image", i, "worst logit difference", worst, "of", w.Logits[i][0], out[i*k])
	}
}
func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
