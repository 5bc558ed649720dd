package cnfa_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// A network that has learned nothing resembles its AGOP all the same: the
// similarity is that of its null.
func ExampleVerify() {
	a, err := models.Lookup("lenet")
	if err != nil {
		log.Fatal(err)
	}
	net, err := a.InitNetwork(a.Input, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	digits, err := data.Open("glyphs", data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	v, err := cnfa.Verify(context.Background(), net, &data.Loader{Dataset: digits}, cnfa.Options{Images: 100})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range v.Layers[:3] {
		fmt.Printf("%s %.2f, null %.2f\n", l.Name, l.Pearson, l.PearsonNull)
	}
	// Output:
	// conv1 0.67, null 0.74
	// conv2 0.85, null 0.85
	// fc1 0.29, null 0.29
}
