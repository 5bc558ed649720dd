package data

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
)

const (
	idxSide = 28 // the height and width of the images

	// idxLimit bounds the bytes of an array. The largest, EMNIST's by class, has
	// 547 MB.
	idxLimit = 1 << 30
)

// An idxSet is a split of a dataset of grey images of 28×28 pixels in MNIST's form: an
// IDX file of images and one of labels.
type idxSet struct {
	name           string   // as given to Open
	folders        []string // in the data folder, that may hold the files
	images, labels string   // file names, without .gz
	classes        []string
	first          int // the label of the first class

	// rows says that the labels are rows of eight numbers that begin with the
	// class, as in QMNIST.
	rows bool

	// turned says that the images are stored column by column, as in EMNIST.
	turned bool

	// The split has images lo to hi-1; hi 0 means up to the last.
	lo, hi int
}

// find returns the path of the file of images.
func (s *idxSet) find(o Options) (string, error) {
	dir, err := o.dir(s.name)
	if err != nil {
		return "", err
	}
	var tries []string
	for _, folder := range s.folders {
		tries = append(tries, plainOrGzip(filepath.Join(dir, folder, s.images))...)
	}
	return firstFile(s.name, getHint(s.name), tries...)
}

// open reads the files of the split.
func (s *idxSet) open(o Options) (Dataset, error) {
	images, err := s.find(o)
	if err != nil {
		return nil, err
	}
	labels, err := firstFile(s.name, getHint(s.name), plainOrGzip(filepath.Join(filepath.Dir(images), s.labels))...)
	if err != nil {
		return nil, err
	}
	p, err := s.read(images, labels)
	if err != nil {
		return nil, err
	}
	p.split = o.Split
	return eightBit{p.slice(s.lo, s.hi), o.Size}, nil
}

func plainOrGzip(path string) []string { return []string{path, path + ".gz"} }

// read reads a file of images and the file of their labels.
func (s *idxSet) read(imagesPath, labelsPath string) (*planes, error) {
	h, pix, err := readIDX(imagesPath, idxLimit, checkIDXImages)
	if err != nil {
		return nil, err
	}
	n := int(h.dims[0])
	h, raw, err := readIDX(labelsPath, idxLimit, s.checkLabels(imagesPath, n))
	if err != nil {
		return nil, err
	}
	labels, err := s.parseLabels(labelsPath, h, raw)
	if err != nil {
		return nil, err
	}
	const area = idxSide * idxSide
	images := make([][]uint8, n)
	for i := range images {
		images[i] = pix[i*area : (i+1)*area : (i+1)*area]
		if s.turned {
			transpose(images[i], idxSide)
		}
	}
	return &planes{
		name:    s.name,
		shape:   Shape{1, idxSide, idxSide},
		classes: s.classes,
		labels:  labels,
		images:  images,
	}, nil
}

// checkIDXImages returns an error unless a header describes one or more images of 28×28 bytes.
func checkIDXImages(x idxReader, h idxHeader) error {
	if err := checkArray(x, h, idxUint8, 3); err != nil {
		return err
	}
	if h.dims[0] == 0 {
		return x.fail(4, "one or more images", "none", nil)
	}
	if h.dims[1] != idxSide || h.dims[2] != idxSide {
		return x.fail(8, "images of 28×28 pixels", fmt.Sprintf("%d×%d", h.dims[1], h.dims[2]), nil)
	}
	return nil
}

// checkLabels returns a function that returns an error unless a header describes n labels.
func (s *idxSet) checkLabels(imagesPath string, n int) func(idxReader, idxHeader) error {
	kind, rank := idxUint8, 1
	if s.rows {
		kind, rank = idxInt32, 2
	}
	return func(x idxReader, h idxHeader) error {
		if err := checkArray(x, h, kind, rank); err != nil {
			return err
		}
		if int64(h.dims[0]) != int64(n) {
			return x.fail(4, fmt.Sprintf("%d labels, one for each image of %s", n, imagesPath),
				fmt.Sprintf("%d", h.dims[0]), nil)
		}
		if s.rows && h.dims[1] == 0 {
			return x.fail(8, "rows that begin with a label", "empty rows", nil)
		}
		return nil
	}
}

// checkArray returns an error unless a header describes an array of that type and rank.
func checkArray(x idxReader, h idxHeader, kind idxType, rank int) error {
	if h.kind != kind {
		return x.fail(2, fmt.Sprintf("elements of type %x", uint8(kind)), fmt.Sprintf("%x", uint8(h.kind)), nil)
	}
	if len(h.dims) != rank {
		return x.fail(3, fmt.Sprintf("an array of rank %d", rank), fmt.Sprintf("%d", len(h.dims)), nil)
	}
	return nil
}

// parseLabels converts the elements of a file of labels to classes, from 0.
func (s *idxSet) parseLabels(path string, h idxHeader, raw []byte) ([]uint16, error) {
	width := 1
	if s.rows {
		width = 4 * int(h.dims[1])
	}
	labels := make([]uint16, h.dims[0])
	for i := range labels {
		l := int(raw[i*width])
		if s.rows {
			l = int(int32(binary.BigEndian.Uint32(raw[i*width:])))
		}
		if l < s.first || l-s.first >= len(s.classes) {
			return nil, idxReader{path: path}.fail(h.bytes()+int64(i*width),
				fmt.Sprintf("a label from %d to %d", s.first, s.first+len(s.classes)-1), fmt.Sprint(l), nil)
		}
		labels[i] = uint16(l - s.first)
	}
	return labels, nil
}

// slice returns images lo to hi-1 of p, or those of them that there are; hi 0 means up
// to the last.
func (p *planes) slice(lo, hi int) *planes {
	n := len(p.images)
	if hi == 0 {
		hi = n
	}
	lo, hi = min(lo, n), min(hi, n)
	q := *p
	q.images, q.labels = p.images[lo:hi], p.labels[lo:hi]
	return &q
}

// transpose exchanges rows and columns of consecutive square images, in place.
func transpose(pix []uint8, side int) {
	for plane := range slices.Chunk(pix, side*side) {
		for y := range side {
			for x := range y {
				a, b := y*side+x, x*side+y
				plane[a], plane[b] = plane[b], plane[a]
			}
		}
	}
}
