package data_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data"
)

// This example loads a batch of normalised images, and describes the dataset for a record.
func Example() {
	ds, err := data.Open("glyphs", data.Options{Split: "train", Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	n, err := data.ParseNormalisation("0.5/0.25", nil)
	if err != nil {
		log.Fatal(err)
	}
	const batch = 10
	px := make([]float32, batch*ds.Shape().Pixels())
	labels := make([]int, batch)
	loader := data.Loader{Dataset: ds, Normalisation: n}
	if err := loader.Load(context.Background(), 0, batch, px, labels); err != nil {
		log.Fatal(err)
	}
	info, err := data.Describe(data.Head(ds, batch))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ds.Name(), ds.Len(), ds.Shape())
	fmt.Println(labels)
	fmt.Println(info.Split, info.Images, info.SHA256[:8])
	// Output:
	// glyphs 10000 1×28×28
	// [2 0 3 6 1 8 9 4 7 5]
	// train 10 1b38effd
}

// This example makes the batches of two epochs of training.
func ExamplePipeline() {
	all, err := data.Open("glyphs", data.Options{Split: "train", Count: 100})
	if err != nil {
		log.Fatal(err)
	}
	train, validation, err := data.Holdout(all, 20, 1)
	if err != nil {
		log.Fatal(err)
	}
	p := data.Pipeline{Dataset: train, Augmentation: data.Augmentation{Shift: 2}, Batch: 32, Seed: 1}
	if err := p.Check(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(train.Len(), validation.Len(), p.Steps(), p.Augmentation)
	for epoch := range 2 {
		for batch, err := range p.Epoch(context.Background(), epoch, 0) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(epoch, batch.Index, len(batch.Labels), batch.Labels[:5])
		}
	}
	// Output:
	// 80 20 3 shift 2
	// 0 0 32 [9 4 3 8 3]
	// 0 1 32 [5 4 4 2 6]
	// 0 2 16 [2 5 8 6 1]
	// 1 0 32 [6 2 9 5 2]
	// 1 1 32 [1 2 3 8 7]
	// 1 2 16 [4 4 0 4 2]
}

// Generated sets need no files, and depend only on the seed. Some are made from another set, by default from generated
// digits.
func ExampleOpen_generated() {
	for _, name := range []string{"glyphs", "bars:noise=0.5", "deadleaves", "noisydigits", "star:glyphs,a=4,b=9"} {
		ds, err := data.Open(name, data.Options{Split: "train", Seed: 1, Count: 100})
		if err != nil {
			log.Fatal(err)
		}
		labels, err := data.Labels(ds)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ds.Name(), ds.Shape(), len(ds.Classes()), "classes, the first labels are", labels[:4])
	}
	// Output:
	// glyphs 1×28×28 10 classes, the first labels are [2 0 3 6]
	// bars:noise=0.5 1×16×32 2 classes, the first labels are [0 1 1 0]
	// deadleaves 3×32×32 2 classes, the first labels are [1 0 0 1]
	// noisydigits 1×42×42 10 classes, the first labels are [2 0 3 6]
	// star:glyphs,a=4,b=9 1×28×28 2 classes, the first labels are [0 0 0 0]
}

// If a dataset is missing, the error lists the paths where Open looked for it.
func ExampleOpen_missing() {
	_, err := data.Open("mnist", data.Options{Dir: "/nowhere"})
	var missing *data.NotFoundError
	if errors.As(err, &missing) {
		fmt.Println(missing.Dataset, len(missing.Looked), filepath.Base(missing.Looked[0]))
	}
	// Output: mnist 6 t10k-images-idx3-ubyte
}
