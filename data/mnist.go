package data

import (
	"fmt"
	"path/filepath"
	"slices"
)

const (
	mnistName = "mnist"
	mnistHint = "get train-images-idx3-ubyte.gz and the three other files from " +
		"https://ossci-datasets.s3.amazonaws.com/mnist/ and put them into a folder mnist there"

	mnistClasses = 10
	mnistSide    = 28

	// mnistLimit bounds the size of an array. The publisher's have 47 MB.
	mnistLimit = 1 << 30
)

// openMNIST opens the MNIST files in DIR/mnist, in torchvision's DIR/MNIST/raw
// or in DIR itself.
func openMNIST(o Options) (Dataset, error) {
	dir, err := o.dir(mnistName)
	if err != nil {
		return nil, err
	}
	images, labels := mnistFiles(o.Split)
	images, err = firstFile(mnistName, mnistHint, slices.Concat(
		plainOrGzip(filepath.Join(dir, "mnist", images)),
		plainOrGzip(filepath.Join(dir, "MNIST", "raw", images)),
		plainOrGzip(filepath.Join(dir, images)))...)
	if err != nil {
		return nil, err
	}
	labels, err = firstFile(mnistName, mnistHint, plainOrGzip(filepath.Join(filepath.Dir(images), labels))...)
	if err != nil {
		return nil, err
	}
	p, err := readMNIST(images, labels)
	if err != nil {
		return nil, err
	}
	p.split = o.Split
	return eightBit{p, o.Size}, nil
}

// mnistFiles returns the names of the files of a split.
func mnistFiles(split string) (images, labels string) {
	prefix := "t10k"
	if split == trainSplit {
		prefix = trainSplit
	}
	return prefix + "-images-idx3-ubyte", prefix + "-labels-idx1-ubyte"
}

func plainOrGzip(path string) []string { return []string{path, path + ".gz"} }

// readMNIST reads a file of images and the file of their labels.
func readMNIST(imagesPath, labelsPath string) (*planes, error) {
	h, pix, err := readIDX(imagesPath, mnistLimit, checkMNISTImages)
	if err != nil {
		return nil, err
	}
	n := int(h.dims[0])
	_, labels, err := readIDX(labelsPath, mnistLimit, checkMNISTLabels(imagesPath, n))
	if err != nil {
		return nil, err
	}
	if err := checkMNISTClasses(labelsPath, labels); err != nil {
		return nil, err
	}
	const area = mnistSide * mnistSide
	images := make([][]uint8, n)
	for i := range images {
		images[i] = pix[i*area : (i+1)*area : (i+1)*area]
	}
	return &planes{
		name:    mnistName,
		shape:   Shape{1, mnistSide, mnistSide},
		classes: digits(),
		labels:  labels,
		images:  images,
	}, nil
}

// checkMNISTImages refuses a header that is not n>0 images of 28×28 bytes.
func checkMNISTImages(x idxReader, h idxHeader) error {
	if err := checkBytes(x, h, 3); err != nil {
		return err
	}
	if h.dims[0] == 0 {
		return x.fail(4, "one or more images", "none", nil)
	}
	if h.dims[1] != mnistSide || h.dims[2] != mnistSide {
		return x.fail(8, "images of 28×28 pixels", fmt.Sprintf("%d×%d", h.dims[1], h.dims[2]), nil)
	}
	return nil
}

// checkMNISTLabels refuses a header that is not n labels of a byte each.
func checkMNISTLabels(imagesPath string, n int) func(idxReader, idxHeader) error {
	return func(x idxReader, h idxHeader) error {
		if err := checkBytes(x, h, 1); err != nil {
			return err
		}
		if int64(h.dims[0]) != int64(n) {
			return x.fail(4, fmt.Sprintf("%d labels, one for each image of %s", n, imagesPath),
				fmt.Sprintf("%d", h.dims[0]), nil)
		}
		return nil
	}
}

// checkBytes refuses a header that is not an array of bytes of that rank.
func checkBytes(x idxReader, h idxHeader, rank int) error {
	if h.kind != idxUint8 {
		return x.fail(2, "elements of type 8 (unsigned bytes)", fmt.Sprintf("%x", uint8(h.kind)), nil)
	}
	if len(h.dims) != rank {
		return x.fail(3, fmt.Sprintf("an array of rank %d", rank), fmt.Sprintf("%d", len(h.dims)), nil)
	}
	return nil
}

// checkMNISTClasses refuses a label that is no digit.
func checkMNISTClasses(path string, labels []uint8) error {
	bad := slices.IndexFunc(labels, func(l uint8) bool { return l >= mnistClasses })
	if bad < 0 {
		return nil
	}
	at := idxHeader{dims: make([]uint32, 1)}.bytes() + int64(bad)
	return idxReader{path: path}.fail(at, fmt.Sprintf("a label from 0 to %d", mnistClasses-1), fmt.Sprintf("%d", labels[bad]), nil)
}

// digits returns the class names "0" to "9".
func digits() []string {
	var names []string
	for d := range 10 {
		names = append(names, fmt.Sprint(d))
	}
	return names
}
