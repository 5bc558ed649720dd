package data

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

const (
	cifarPixels = 3 * 32 * 32

	// Bounds on the bytes of a batch, of which the publisher's largest has 155 MB,
	// and of the class names.
	cifarLimit     = 1 << 30
	cifarMetaLimit = 1 << 16
)

// A cifarSet is a split of CIFAR-10 or CIFAR-100, in the binary version or the
// Python version, whichever is there.
type cifarSet struct {
	name, spec string // the name of the set, without and with its arguments
	classes    int

	// The binary version: its folder, the file of the class names, and the files
	// of the split.
	folder, meta string
	batches      []string
	heads, head  int // the number of bytes before the pixels; which of them is the label

	// The Python version, and the keys of its dicts.
	pyFolder, pyMeta string
	pyBatches        []string
	pyLabels, pyName string
}

// find returns the path of the split's first file, in the folder of the binary or
// the Python version, or in DIR itself.
func (s *cifarSet) find(o Options) (string, error) {
	dir, err := o.dir(s.name)
	if err != nil {
		return "", err
	}
	binary, python := s.batches[0], s.pyBatches[0]
	return firstFile(s.name, getHint(s.name),
		filepath.Join(dir, s.folder, binary), filepath.Join(dir, s.pyFolder, python),
		filepath.Join(dir, binary), filepath.Join(dir, python))
}

// open reads the version that it finds.
func (s *cifarSet) open(o Options) (Dataset, error) {
	path, err := s.find(o)
	if err != nil {
		return nil, err
	}
	p := &planes{name: s.spec, split: o.Split, shape: Shape{3, 32, 32}}
	if filepath.Base(path) == s.batches[0] {
		err = s.readBinary(p, filepath.Dir(path))
	} else {
		err = s.readPython(p, filepath.Dir(path))
	}
	if err != nil {
		return nil, err
	}
	return eightBit{p, o.Size}, nil
}

// readBinary reads the binary version from its folder.
func (s *cifarSet) readBinary(p *planes, dir string) (err error) {
	meta := filepath.Join(dir, s.meta)
	raw, err := readPart(s.name, meta, cifarMetaLimit)
	if err != nil {
		return err
	}
	if p.classes, err = s.parseClasses(meta, raw); err != nil {
		return err
	}
	for _, name := range s.batches {
		path := filepath.Join(dir, name)
		raw, err := readPart(s.name, path, cifarLimit)
		if err != nil {
			return err
		}
		if err := s.addRecords(p, path, raw); err != nil {
			return err
		}
	}
	return nil
}

// addRecords appends the records of a batch. The images alias raw.
func (s *cifarSet) addRecords(p *planes, path string, raw []byte) error {
	size := s.heads + cifarPixels
	if rest := len(raw) % size; rest != 0 || len(raw) == 0 {
		return &FormatError{
			Path:   path,
			Offset: int64(len(raw) - rest),
			Want:   fmt.Sprintf("one or more records of %d bytes (%d of labels and 3×32×32 pixels)", size, s.heads),
			Got:    fmt.Sprintf("%d and %d more bytes", len(raw)/size, rest),
			Hint:   "the file is cut short or not from the binary version; " + getHint(s.name),
		}
	}
	for at := 0; at < len(raw); at += size {
		label := raw[at+s.head]
		if int(label) >= s.classes {
			return &FormatError{
				Path:   path,
				Offset: int64(at + s.head),
				Want:   fmt.Sprintf("a label from 0 to %d", s.classes-1),
				Got:    fmt.Sprintf("%d", label),
				Hint:   "the file is damaged or not from the binary version; " + getHint(s.name),
			}
		}
		p.labels = append(p.labels, uint16(label))
		p.images = append(p.images, raw[at+s.heads:at+size:at+size])
	}
	return nil
}

// parseClasses reads the class names, one per line.
func (s *cifarSet) parseClasses(path string, raw []byte) ([]string, error) {
	names := strings.Fields(string(raw))
	if len(names) != s.classes {
		return nil, &FormatError{
			Path:   path,
			Offset: int64(len(bytes.TrimSpace(raw))),
			Want:   fmt.Sprintf("the names of %d classes, one per line", s.classes),
			Got:    fmt.Sprintf("%d names", len(names)),
			Hint:   getHint(s.name),
		}
	}
	return names, nil
}

const (
	cifarName    = "cifar10"
	cifar100Name = "cifar100"
)

// cifar10Set returns the fileSet of CIFAR-10.
func cifar10Set(o Options) (fileSet, error) { return newCIFAR10(o.Split), nil }

func newCIFAR10(split string) *cifarSet {
	s := &cifarSet{
		name:     cifarName,
		spec:     cifarName,
		classes:  10,
		folder:   "cifar-10-batches-bin",
		meta:     "batches.meta.txt",
		heads:    1,
		pyFolder: "cifar-10-batches-py",
		pyMeta:   "batches.meta",
		pyLabels: "labels",
		pyName:   "label_names",
	}
	if split == testSplit {
		s.batches, s.pyBatches = []string{"test_batch.bin"}, []string{"test_batch"}
		return s
	}
	for k := 1; k <= 5; k++ {
		s.batches = append(s.batches, fmt.Sprintf("data_batch_%d.bin", k))
		s.pyBatches = append(s.pyBatches, fmt.Sprintf("data_batch_%d", k))
	}
	return s
}

// The labels of CIFAR-100: each of its 20 coarse classes contains five fine classes.
const (
	cifarFine   = "fine"
	cifarCoarse = "coarse"
)

// cifar100Set returns the fileSet of CIFAR-100. The word after the name selects the
// labels, by default the fine ones.
func cifar100Set(o Options) (fileSet, error) {
	kind, err := o.args.word(0, cifarFine, cifarCoarse)
	if err != nil {
		return nil, err
	}
	return newCIFAR100(o.Split, kind), nil
}

func newCIFAR100(split, kind string) *cifarSet {
	s := &cifarSet{
		name:      cifar100Name,
		spec:      cifar100Name,
		classes:   100,
		folder:    "cifar-100-binary",
		meta:      kind + "_label_names.txt",
		batches:   []string{split + ".bin"},
		heads:     2,
		head:      1,
		pyFolder:  "cifar-100-python",
		pyMeta:    "meta",
		pyBatches: []string{split},
		pyLabels:  kind + "_labels",
		pyName:    kind + "_label_names",
	}
	if kind == cifarCoarse {
		s.spec, s.classes, s.head = cifar100Name+":"+kind, 20, 0
	}
	return s
}

// readPython reads the Python version, pickled dicts, from its folder.
func (s *cifarSet) readPython(p *planes, dir string) error {
	meta := filepath.Join(dir, s.pyMeta)
	d, err := readPickle(s.name, meta)
	if err != nil {
		return err
	}
	if p.classes, err = d.Strings(s.pyName); err != nil {
		return err
	}
	if len(p.classes) != s.classes {
		return tooFew(meta, s.classes, len(p.classes), getHint(s.name))
	}
	for _, name := range s.pyBatches {
		if err := p.addPickle(filepath.Join(dir, name), s.pyLabels, 0); err != nil {
			return err
		}
	}
	return nil
}

// readPickle reads a pickled dict that a dataset needs.
func readPickle(dataset, path string) (*array.Dict, error) {
	if _, err := firstFile(dataset, getHint(dataset), path); err != nil {
		return nil, err
	}
	return array.ReadPickle(path)
}

// addPickle appends the images of a batch: a dict with "data", a row of pixels per
// image, and the labels under labelKey, where class 0 has the label first.
func (p *planes) addPickle(path, labelKey string, first int) error {
	d, err := readPickle(p.name, path)
	if err != nil {
		return err
	}
	x, err := d.Array("data")
	if err != nil {
		return err
	}
	if err := checkImages(path, x, false, -1, p.shape.Pixels()); err != nil {
		return err
	}
	labels, err := d.Ints(labelKey)
	if err != nil {
		return err
	}
	return p.addImages(path, x.Bytes, labels, first)
}
