package data

import "fmt"

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
