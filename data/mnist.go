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

// mnistSet is MNIST: in DIR/mnist, in torchvision's DIR/MNIST/raw or in DIR
// itself.
func mnistSet(o Options) (fileSet, error) {
	s := &idxSet{name: mnistName, folders: []string{"mnist", "MNIST/raw", "."}, classes: digits()}
	s.images, s.labels = mnistFiles(o.Split)
	return s, nil
}

// fashionSet is Fashion-MNIST: in DIR/fashionmnist or in torchvision's
// DIR/FashionMNIST/raw. The names of the files are MNIST's.
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
	qmnistTest10k = "test10k" // those of MNIST's test split
	qmnistTest50k = "test50k" // the 50000 that MNIST lost
)

// qmnistSet is QMNIST: in DIR/qmnist or in torchvision's DIR/QMNIST/raw. A word
// after the name takes a part of the test split.
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

// The letters of which EMNIST's merged splits keep the small form apart: that
// of the others looks like the capital.
const emnistSmall = "abdefghnqrt"

const (
	decimals = "0123456789"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// emnistSet is a split of EMNIST in the sense of its publisher, who names them
// by what they hold: a word after the name chooses it. The files are in
// DIR/emnist, in the folder gzip there as the publisher's archive has them, or
// in torchvision's DIR/EMNIST/raw.
//
// The files hold the images column by column, and torchvision shows them so,
// lying on their side; here they are upright. The labels of the split letters
// begin with 1 in the files.
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

// emnistClasses returns the characters of a split, in the order of its mapping
// file.
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
