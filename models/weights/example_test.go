package weights_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

func Example() {
	d, err := weights.Open("testdata/checkpoint.old.pth")
	if err != nil {
		log.Fatal(err)
	}
	for name, t := range d.All() {
		fmt.Println(name, t.Dtype(), t.Shape())
	}
	// Output:
	// 0.weight float32 (2, 1, 3, 3)
	// 1.weight float32 (2)
	// 1.bias float32 (2)
	// 1.running_mean float32 (2)
	// 1.running_var float32 (2)
	// 1.num_batches_tracked int64 ()
	// 3.weight float32 (3, 2)
	// 3.bias float32 (3)
}

func ExampleStateDict_Check() {
	var d weights.StateDict
	d.Set("fc.weight", tensor.New(tensor.WithShape(10, 512), tensor.Of(tensor.Float32)))

	err := d.Check([]weights.Spec{
		{Name: "fc.weight", Shape: []int{1000, 512}},
		{Name: "fc.bias", Shape: []int{1000}},
	})
	var mismatch *weights.MismatchError
	if errors.As(err, &mismatch) {
		fmt.Println(mismatch.Missing[0].Name)
		fmt.Println(mismatch.Misshaped[0].Got)
	}
	// Output:
	// fc.bias
	// [10 512]
}

func ExampleSave() {
	dir, err := os.MkdirTemp("", "weights")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	var d weights.StateDict
	d.Set("scale", tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{0.5, 2})))
	path := filepath.Join(dir, "scale.safetensors")
	if err := weights.Save(path, &d, map[string]string{"format": "pt"}); err != nil {
		log.Fatal(err)
	}

	again, err := weights.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Names(), again.Metadata(), again.SHA256() == d.SHA256())
	// Output:
	// [scale] map[format:pt] true
}
