package data

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
)

const (
	pcamName = "pcam"
	pcamSide = 96
)

// A pcamSet is a split of PatchCamelyon: HDF5 files in DIR/pcam or in DIR. Images are
// read from disk on demand, since the training split has 7 GB. The field split is its
// name in the file names.
type pcamSet struct{ split string }

// newPCamSet returns the fileSet of the split.
func newPCamSet(o Options) (fileSet, error) {
	if o.Split == validationSplit {
		return pcamSet{"valid"}, nil
	}
	return pcamSet{o.Split}, nil
}

func (s pcamSet) find(o Options) (string, error) {
	dir, err := o.dir(pcamName)
	if err != nil {
		return "", err
	}
	name := s.file("x")
	return firstFile(pcamName, getHint(pcamName), filepath.Join(dir, "pcam", name), filepath.Join(dir, name))
}

// file returns the name of the file of images, "x", or labels, "y".
func (s pcamSet) file(what string) string {
	return "camelyonpatch_level_2_split_" + s.split + "_" + what + ".h5"
}

func (s pcamSet) open(o Options) (Dataset, error) {
	path, err := s.find(o)
	if err != nil {
		return nil, err
	}
	labels, err := firstFile(pcamName, getHint(pcamName), filepath.Join(filepath.Dir(path), s.file("y")))
	if err != nil {
		return nil, err
	}
	d := &stored{
		name:    pcamName,
		split:   o.Split,
		shape:   Shape{3, pcamSide, pcamSide},
		classes: []string{"normal", "tumour"},
		size:    o.Size,
	}
	if d.labels, err = readPCamLabels(labels); err != nil {
		return nil, err
	}
	if err := openPCamImages(d, path, len(d.labels)); err != nil {
		return nil, err
	}
	return d, nil
}

// openPCamImages makes d read its images from the array x of a file, n×96×96×3. The
// file stays open.
func openPCamImages(d *stored, path string, n int) error {
	x, _, err := openSlab(path, "x", n, pcamSide, pcamSide, 3)
	if err != nil {
		return err
	}
	d.n = n
	d.fetch = func(i int, pix []uint8) error {
		raw := d.buffer()
		defer d.scratch.Put(raw)
		if err := x.ReadRows(i, i+1, *raw); err != nil {
			return err
		}
		separate(pix, *raw, 3)
		return nil
	}
	return nil
}

// maxPCam bounds the images of a split, of which the largest has 262144: a file can state any number of labels that it lacks.
const maxPCam = 1 << 24

// readPCamLabels reads the labels from the array y of a file, N×1×1×1.
func readPCamLabels(path string) ([]uint16, error) {
	y, f, err := openSlab(path, "y", -1, 1, 1, 1)
	if err != nil {
		return nil, err
	}
	if n := y.Shape[0]; n > maxPCam {
		return nil, errors.Join(arrayError(path, "the array y", fmt.Sprintf("of at most %d labels", maxPCam), fmt.Sprint(n),
			getHint(pcamName)), f.Close())
	}
	raw := make([]uint8, y.Shape[0])
	if err := errors.Join(y.ReadRows(0, len(raw), raw), f.Close()); err != nil {
		return nil, err
	}
	labels := make([]uint16, len(raw))
	for i, l := range raw {
		if l > 1 {
			return nil, arrayError(path, "the array y", "0 or 1", fmt.Sprintf("%d of image %d", l, i),
				getHint(pcamName))
		}
		labels[i] = uint16(l)
	}
	return labels, nil
}

// openSlab opens a file and its array of that name. It returns an error unless the array
// has bytes and the given shape, where -1 stands for any number but 0.
func openSlab(path, name string, shape ...int) (*array.Slab, *array.HDF5, error) {
	f, err := array.OpenHDF5(path)
	if err != nil {
		return nil, nil, err
	}
	a, err := f.Array(name)
	if err == nil {
		err = checkImages(path, &array.Array{Name: name, Type: a.Type, Shape: a.Shape}, false, shape...)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return a, f, nil
}

// separate converts an image from row, column, channel order to channel, row, column order.
func separate(dst, pix []uint8, channels int) {
	area := len(pix) / channels
	for k, v := range pix {
		dst[k%channels*area+k/channels] = v
	}
}
