package table_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
)

// A table with missing values is converted to a matrix. The values that replace missing ones are computed from the
// training rows.
func ExampleTable_Encode() {
	const text = `@relation weather
@attribute outlook {sunny, overcast, rainy}
@attribute temperature numeric
@attribute class {yes, no}
@data
sunny, 85, no
overcast, ?, yes
rainy, 71, yes
?, 65, no
`
	t, err := table.ReadARFF("weather.arff", strings.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	set, conventions, err := t.Encode(table.EncodeOptions{Rows: []int{0, 1, 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Features)
	for i := range t.Rows {
		fmt.Println(set.X.RawRowView(i), set.Classes[int(set.Y[i])])
	}
	fmt.Println(conventions.Task, conventions.Encoding, conventions.Imputed)
	// Output:
	// [outlook=sunny outlook=overcast outlook=rainy temperature]
	// [1 0 0 85] no
	// [0 1 0 78] yes
	// [0 0 1 71] yes
	// [1 0 0 65] no
	// classification one-hot 2
}

// The features are standardised by the training rows. The targets are transformed by a logarithm, standardised, and
// then transformed back.
func ExampleTransform() {
	t, err := table.ReadCSV("houses.csv", strings.NewReader("rooms,price\n1,99\n2,999\n3,9999\n9,5\n"))
	if err != nil {
		log.Fatal(err)
	}
	set, _, err := t.Encode(table.EncodeOptions{Target: "price"})
	if err != nil {
		log.Fatal(err)
	}
	training := []int{0, 1, 2}
	var features, targets table.Standard
	if err := features.Fit(set.X, training); err != nil {
		log.Fatal(err)
	}
	features.Apply(set.X)
	y := table.Targets(set.Y)
	table.Log{}.Apply(y)
	if err := targets.Fit(y, training); err != nil {
		log.Fatal(err)
	}
	targets.Apply(y)
	fmt.Printf("%.2f %.2f\n", set.X.At(0, 0), set.Y[:3])
	targets.Invert(y)
	table.Log{}.Invert(y)
	fmt.Printf("%.0f\n", set.Y)
	// Output:
	// -1.22 [-1.22 0.00 1.22]
	// [99 999 9999 5]
}

// The error about a malformed file says where it is malformed and what was expected there.
func ExampleReadARFF_error() {
	_, err := table.ReadARFF("small.arff", strings.NewReader("@relation r\n@attribute a {x, y}\n@data\nz\n"))
	fmt.Println(err)
	// Output: small.arff: line 4: at byte 38: expected one of the names of attribute "a" or ?, found "z"
}
