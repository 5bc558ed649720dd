package data

import (
	"fmt"
	"strings"
)

const (
	mnistName   = "mnist"
	fashionName = "fashionmnist"
	qmnistName  = "qmnist"
)

// mnistSet returns the fileSet of MNIST, in DIR/mnist, in torchvision's DIR/MNIST/raw
// or in DIR itself.
func mnistSet(o Options) (fileSet, error) {
	s := &idxSet{name: mnistName, folders: []string{"mnist", "MNIST/raw", "."}, classes: digits()}
	s.images, s.labels = mnistFiles(o.Split)
	return s, nil
}

// fashionSet returns the fileSet of Fashion-MNIST, in DIR/fashionmnist or in
// torchvision's DIR/FashionMNIST/raw. Its files have the names of MNIST's.
func fashionSet(o Options) (fileSet, error) {
	s := &idxSet{
		name:    fashionName,
		folders: []string{"fashionmnist", "FashionMNIST/raw"},
		classes: []string{"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag",
			"Ankle boot"},
	}
	s.images, s.labels = mnistFiles(o.Split)
	return s, nil
}

// mnistFiles returns the names of the files of a split.
func mnistFiles(split string) (images, labels string) {
	prefix := "t10k"
	if split == trainSplit {
		prefix = trainSplit
	}
	return prefix + "-images-idx3-ubyte", prefix + "-labels-idx1-ubyte"
}

// The parts of QMNIST's test split.
const (
	qmnistTest    = "test"    // all 60000
	qmnistTest10k = "test10k" // the 10000 in MNIST's test split
	qmnistTest50k = "test50k" // the 50000 that MNIST left out
)

// qmnistSet returns the fileSet of QMNIST, in DIR/qmnist or in torchvision's
// DIR/QMNIST/raw. The word after the name selects a part of the test split.
func qmnistSet(o Options) (fileSet, error) {
	part, err := o.args.word(0, qmnistTest, qmnistTest10k, qmnistTest50k)
	if err != nil {
		return nil, err
	}
	prefix := "qmnist-" + o.Split
	s := &idxSet{
		name:    o.args.spec,
		folders: []string{"qmnist", "QMNIST/raw"},
		images:  prefix + "-images-idx3-ubyte",
		labels:  prefix + "-labels-idx2-int",
		classes: digits(),
		rows:    true,
	}
	switch {
	case o.Split == trainSplit:
	case part == qmnistTest10k:
		s.hi = 10000
	case part == qmnistTest50k:
		s.lo = 10000
	}
	return s, nil
}

// digits returns the class names "0" to "9".
func digits() []string {
	var names []string
	for d := range 10 {
		names = append(names, fmt.Sprint(d))
	}
	return names
}

const emnistName = "emnist"

// emnistSmall holds the small letters that are classes of their own in EMNIST's merged
// splits. The other small letters look like capitals and are merged with them.
const emnistSmall = "abdefghnqrt"

const (
	decimals = "0123456789"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// emnistSet returns the fileSet of a part of EMNIST, which its publisher calls a split,
// such as letters. The word after the name selects the part. The files are in
// DIR/emnist, in the folder gzip there as in the publisher's archive, or in
// torchvision's DIR/EMNIST/raw.
//
// The files store images column by column. Torchvision therefore shows them lying on
// their side; here they are upright. In the files of letters, labels begin with 1.
func emnistSet(o Options) (fileSet, error) {
	kind, err := o.args.word(0, "balanced", "byclass", "bymerge", "digits", "letters", "mnist")
	if err != nil {
		return nil, err
	}
	prefix := "emnist-" + kind + "-" + o.Split
	s := &idxSet{
		name:    emnistName + ":" + kind,
		folders: []string{"emnist/gzip", "emnist", "EMNIST/raw"},
		images:  prefix + "-images-idx3-ubyte",
		labels:  prefix + "-labels-idx1-ubyte",
		classes: emnistClasses(kind),
		turned:  true,
	}
	if kind == "letters" {
		s.first = 1
	}
	return s, nil
}

// emnistClasses returns the characters of a part, in the order of its mapping file.
func emnistClasses(kind string) []string {
	switch kind {
	case "byclass":
		return strings.Split(decimals+capitals+strings.ToLower(capitals), "")
	case "bymerge", "balanced":
		return strings.Split(decimals+capitals+emnistSmall, "")
	case "letters":
		return strings.Split(strings.ToLower(capitals), "")
	}
	return digits()
}
