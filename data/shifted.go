package data

import (
	"fmt"
	"io"
	"math/rand/v2"
)

// shifted is the Dataset of the images of another, moved.
type shifted struct {
	Dataset
	pixels int
	seed   uint64
}

// Shifted returns the images of ds, each moved by up to that many pixels in
// both directions, uniformly: by the same, a function of the seed and its
// index, whenever it is read. Vacated pixels are 0. It is the test split of
// what Augmentation.Shift does to the training split. Pixels that are negative
// or as many as a side of the image are an error.
func Shifted(ds Dataset, pixels int, seed uint64) (Dataset, error) {
	if err := (Augmentation{Shift: pixels}).Check(ds.Shape()); err != nil {
		return nil, err
	}
	return &shifted{ds, pixels, seed}, nil
}

// Read implements Dataset.
func (s *shifted) Read(i int, dst []float32) (int, error) {
	if err := checkRead(s, i, dst); err != nil {
		return 0, err
	}
	plain := make([]float32, len(dst))
	label, err := s.Dataset.Read(i, plain)
	if err != nil {
		return 0, err
	}
	s.view(i).draw(dst, plain, s.Shape())
	return label, nil
}

// view returns how image i is moved.
func (s *shifted) view(i int) view {
	pcg := rand.NewPCG(0, 0)
	seedStream(pcg, s.seed, "shifted", uint64(i))
	return randomShift(rand.New(pcg), s.pixels)
}

// Split returns the split of the set that is moved.
func (s *shifted) Split() string { return splitOf(s.Dataset) }

func (s *shifted) identify(w io.Writer, i int) error {
	v := s.view(i)
	if _, err := fmt.Fprintf(w, "moved %d down, %d right\n", v.down, v.right); err != nil {
		return err
	}
	return identify(w, s.Dataset, i)
}

func (s *shifted) label(i int) (int, error) { return labelOf(s.Dataset, i) }
