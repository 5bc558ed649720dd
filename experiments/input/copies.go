package input

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// Copies says how many test images are copies of training images; "" if none are known: see [CheckTestData].
type Copies string

// Warning returns a sentence for a summary, with a leading space, or "".
func (c Copies) Warning() string {
	if c == "" {
		return ""
	}
	return fmt.Sprintf(" Beware of the test images: %s.", string(c))
}

// maxCompared bounds how many files [CheckTestData] reads to find copies.
const maxCompared = 200_000

// CheckTestData compares the folder of the test images with that of the training images. If they are the same, it
// returns an [*Error]; otherwise it returns how many test images equal a training image byte by byte.
//
// It reads only files of equal size. If there are too many, it does not compare them, and the text says so.
func CheckTestData(train, test string) (Copies, error) {
	a, err := os.Stat(train)
	b, err2 := os.Stat(test)
	if err != nil || err2 != nil {
		return "", nil // opening the folders will report the error
	}
	if os.SameFile(a, b) {
		return "", Errorf("--test-data %s is the folder of --data: a test on the training images says nothing; give "+
			"other images, or leave --test-data out", test)
	}
	seen, tested := filesBySize(train), filesBySize(test)
	reads, total := 0, 0
	for size, files := range tested {
		total += len(files)
		if n := len(seen[size]); n > 0 {
			reads += n + len(files)
		}
	}
	if reads > maxCompared {
		return "not compared with the training images, of which too many have the same size", nil
	}
	copies, example := 0, ""
	for size, files := range tested {
		known := map[string]bool{}
		for _, path := range seen[size] {
			if digest, err := atomicfile.Digest(path); err == nil {
				known[digest] = true
			}
		}
		if len(known) == 0 {
			continue
		}
		for _, path := range files {
			if digest, err := atomicfile.Digest(path); err == nil && known[digest] {
				copies++
				if example == "" || path < example {
					example = path
				}
			}
		}
	}
	if copies == 0 {
		return "", nil
	}
	return Copies(fmt.Sprintf("%d of %d are copies of training images (such as %s), and accuracy on them says nothing "+
		"about new images", copies, total, example)), nil
}

// filesBySize lists the images in a folder by their file size. It skips what it cannot read.
func filesBySize(root string) map[int64][]string {
	bySize := map[int64][]string{}
	names, _ := data.ListImages(root) // opening the folder will report the error
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			bySize[info.Size()] = append(bySize[info.Size()], path)
		}
	}
	return bySize
}
