package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

const (
	imagenet32Name    = "imagenet32"
	imagenet32Classes = 1000
	imagenet32Map     = "map_clsloc.txt" // from the devkit: lines of WordNet id, class from 1, and name
)

// An imagenet32Set holds the names of the batches of a split of ImageNet at 32×32
// pixels (Chrabaszcz, Loshchilov and Hutter 2017). The files are pickles or NPZ files,
// in DIR/imagenet32 or in DIR. The test split is the validation set, as is usual: the
// labels of the test set are not published. Labels in the files begin with 1.
type imagenet32Set []string

// newImageNet32Set returns the fileSet of the split.
func newImageNet32Set(o Options) (fileSet, error) { return imagenet32Batches(o.Split), nil }

func (s imagenet32Set) find(o Options) (string, error) {
	dir, err := o.dir(imagenet32Name)
	if err != nil {
		return "", err
	}
	return firstFile(imagenet32Name, getHint(imagenet32Name), imagenet32Paths(dir, s[0])...)
}

func (s imagenet32Set) open(o Options) (Dataset, error) {
	first, err := s.find(o)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(first)
	p := &planes{name: imagenet32Name, split: o.Split, shape: Shape{3, 32, 32}}
	if p.classes, err = imagenet32ClassNames(folder, filepath.Dir(folder)); err != nil {
		return nil, err
	}
	for _, name := range s {
		path := filepath.Join(folder, name+filepath.Ext(first))
		if err := p.addImageNet32(path); err != nil {
			return nil, err
		}
	}
	return eightBit{p, o.Size}, nil
}

// imagenet32Batches returns the names of a split's files, without .npz.
func imagenet32Batches(split string) imagenet32Set {
	if split != trainSplit {
		return []string{"val_data"}
	}
	var names []string
	for k := 1; k <= 10; k++ {
		names = append(names, fmt.Sprintf("train_data_batch_%d", k))
	}
	return names
}

// imagenet32Paths returns the paths where a batch may be: in one folder with all
// others, or in the folders of the publisher's archives.
func imagenet32Paths(dir, batch string) (paths []string) {
	archive := "Imagenet32_val"
	if strings.HasPrefix(batch, "train") {
		archive = "Imagenet32_train"
	}
	for _, top := range []string{filepath.Join(dir, "imagenet32"), dir} {
		for _, folder := range []string{"", archive, archive + "_npz"} {
			path := filepath.Join(top, folder, batch)
			paths = append(paths, path, path+".npz")
		}
	}
	return paths
}

// addImageNet32 appends the images of a batch in either format.
func (p *planes) addImageNet32(path string) error {
	if filepath.Ext(path) != ".npz" {
		return p.addPickle(path, "labels", 1)
	}
	if _, err := firstFile(p.name, getHint(p.name), path); err != nil {
		return err
	}
	arrays, err := array.ReadNPZ(path, "data", "labels")
	if err != nil {
		return err
	}
	x := arrays["data"]
	if err := checkImages(path, x, false, -1, p.shape.Pixels()); err != nil {
		return err
	}
	labels, err := arrays["labels"].Ints()
	if err != nil {
		return err
	}
	return p.addImages(path, x.Bytes, labels, 1)
}

// imagenet32ClassNames returns the names in the map of classes, if one of the folders
// has it, else "class 1" to "class 1000".
func imagenet32ClassNames(folders ...string) ([]string, error) {
	for _, dir := range folders {
		path := filepath.Join(dir, imagenet32Map)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		raw, err := readFile(path, 1<<20)
		if err != nil {
			return nil, err
		}
		return parseClassMap(path, raw)
	}
	names := make([]string, imagenet32Classes)
	for k := range names {
		names[k] = fmt.Sprintf("class %d", k+1)
	}
	return names, nil
}

// parseClassMap reads a map of classes, in any order.
func parseClassMap(path string, raw []byte) ([]string, error) {
	names := make([]string, imagenet32Classes)
	at := int64(0)
	for line := range strings.Lines(string(raw)) {
		var id, name string
		var class int
		_, err := fmt.Sscan(line, &id, &class, &name)
		if err != nil || class < 1 || class > len(names) || names[class-1] != "" {
			return nil, &FormatError{
				Path:   path,
				Offset: at,
				Want: fmt.Sprintf("a line of a WordNet id, a class from 1 to %d that is on no other line, and a name",
					len(names)),
				Got: fmt.Sprintf("%.80q", line),
				Err: err,
			}
		}
		names[class-1] = name
		at += int64(len(line))
	}
	for k, name := range names {
		if name == "" {
			return nil, &FormatError{Path: path, Offset: at, Want: fmt.Sprintf("a line for each of %d classes",
				len(names)), Got: fmt.Sprintf("none for class %d", k+1)}
		}
	}
	return names, nil
}
