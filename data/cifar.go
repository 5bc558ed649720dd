package data

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
)

const (
	cifarName   = "cifar10"
	cifarFolder = "cifar-10-batches-bin"
	cifarMeta   = "batches.meta.txt"
	cifarHint   = "get https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz and unpack it there"

	cifarClasses = 10
	cifarPixels  = 3 * 32 * 32
	cifarRecord  = 1 + cifarPixels // a label, then the red, green and blue planes

	// Bounds on the sizes of a batch, of which the publisher's have 31 MB, and
	// of the class names.
	cifarLimit     = 1 << 30
	cifarMetaLimit = 1 << 16
)

// openCIFAR opens the CIFAR-10 binary version.
func openCIFAR(o Options) (Dataset, error) {
	dir, err := findCIFAR(o)
	if err != nil {
		return nil, err
	}
	p := &planes{name: cifarName, split: o.Split, shape: Shape{3, 32, 32}}
	if p.classes, err = readCIFARClasses(filepath.Join(dir, cifarMeta)); err != nil {
		return nil, err
	}
	for _, name := range cifarBatches(o.Split) {
		path := filepath.Join(dir, name)
		raw, err := readCIFARFile(path, cifarLimit)
		if err != nil {
			return nil, err
		}
		if err := p.addCIFAR(path, raw); err != nil {
			return nil, err
		}
	}
	return eightBit{p, o.Size}, nil
}

// findCIFAR returns the folder of the batches: DIR/cifar-10-batches-bin or DIR
// itself, whichever has the first of the split.
func findCIFAR(o Options) (string, error) {
	dir, err := o.dir(cifarName)
	if err != nil {
		return "", err
	}
	batch := cifarBatches(o.Split)[0]
	path, err := firstFile(cifarName, cifarHint, filepath.Join(dir, cifarFolder, batch), filepath.Join(dir, batch))
	return filepath.Dir(path), err
}

// cifarBatches returns the files of a split, in order.
func cifarBatches(split string) []string {
	if split == testSplit {
		return []string{"test_batch.bin"}
	}
	var names []string
	for k := 1; k <= 5; k++ {
		names = append(names, fmt.Sprintf("data_batch_%d.bin", k))
	}
	return names
}

// addCIFAR appends the records of a batch. The images alias raw.
func (p *planes) addCIFAR(path string, raw []byte) error {
	if rest := len(raw) % cifarRecord; rest != 0 || len(raw) == 0 {
		return &FormatError{
			Path:   path,
			Offset: int64(len(raw) - rest),
			Want:   fmt.Sprintf("one or more records of %d bytes (a label and 3×32×32 pixels)", cifarRecord),
			Got:    fmt.Sprintf("%d and %d bytes more", len(raw)/cifarRecord, rest),
			Hint:   "the file is cut short or not of CIFAR-10's binary version; " + cifarHint,
		}
	}
	for at := 0; at < len(raw); at += cifarRecord {
		if raw[at] >= cifarClasses {
			return &FormatError{
				Path:   path,
				Offset: int64(at),
				Want:   fmt.Sprintf("a label from 0 to %d", cifarClasses-1),
				Got:    fmt.Sprintf("%d", raw[at]),
				Hint:   "the file is damaged or not of CIFAR-10's binary version; " + cifarHint,
			}
		}
		p.labels = append(p.labels, raw[at])
		p.images = append(p.images, raw[at+1:at+cifarRecord:at+cifarRecord])
	}
	return nil
}

// readCIFARClasses reads the class names, one a line.
func readCIFARClasses(path string) ([]string, error) {
	raw, err := readCIFARFile(path, cifarMetaLimit)
	if err != nil {
		return nil, err
	}
	return parseCIFARClasses(path, raw)
}

func parseCIFARClasses(path string, raw []byte) ([]string, error) {
	names := strings.Fields(string(raw))
	if len(names) != cifarClasses {
		return nil, &FormatError{
			Path:   path,
			Offset: int64(len(bytes.TrimSpace(raw))),
			Want:   fmt.Sprintf("the names of %d classes, one a line", cifarClasses),
			Got:    fmt.Sprintf("%d names", len(names)),
			Hint:   cifarHint,
		}
	}
	return names, nil
}

// readCIFARFile reads a file of the set, of at most limit bytes.
func readCIFARFile(path string, limit int64) ([]byte, error) {
	if _, err := firstFile(cifarName, cifarHint, path); err != nil {
		return nil, err
	}
	return readFile(path, limit)
}
