package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
)

// Info describes a dataset, for the records of computations that use it.
type Info struct {
	Name    string
	Split   string // "train", "test", "validation", one of the publisher's own, or "" for a set without splits
	Images  int
	Shape   Shape
	Classes []string // by label; empty when unlabelled

	// SHA256 is a hexadecimal digest of the sources of images and labels, image by image, before any scaling. For files
	// of many images, it covers the label (two bytes if there are more than 256 classes) and the pixels, a byte each,
	// channel by channel and upright: the digest of CIFAR-10's test split, in both versions, is the digest of
	// test_batch.bin. If each image is a file, it covers the relative path, the size and the content, and the label if
	// the path does not show it. For generated sets it covers the name, version, split, seed and index. A subset has the
	// digest of its images. A transformed or relabelled set adds the transformation or the label of every image.
	SHA256 string
}

// Describe describes a dataset. It reads every file of a folder once, without decoding
// it, and returns an error if a file cannot be read.
func Describe(ds Dataset) (Info, error) {
	h := sha256.New()
	for i := range ds.Len() {
		if err := identify(h, ds, i); err != nil {
			return Info{}, err
		}
	}
	return Info{
		Name:    ds.Name(),
		Split:   splitOf(ds),
		Images:  ds.Len(),
		Shape:   ds.Shape(),
		Classes: ds.Classes(),
		SHA256:  hex.EncodeToString(h.Sum(nil)),
	}, nil
}

// splitOf returns the split of a dataset, or "" if it has none.
func splitOf(ds Dataset) string {
	if s, ok := ds.(interface{ Split() string }); ok {
		return s.Split()
	}
	return ""
}

// identify writes the source of image i of ds to w or, if ds cannot, the image's label and pixels.
func identify(w io.Writer, ds Dataset, i int) error {
	if d, ok := ds.(interface{ identify(io.Writer, int) error }); ok {
		return d.identify(w, i)
	}
	px := make([]float32, ds.Shape().Pixels())
	label, err := ds.Read(i, px)
	if err != nil {
		return err
	}
	raw := binary.LittleEndian.AppendUint64(nil, uint64(label))
	for _, v := range px {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	_, err = w.Write(raw)
	return err
}
