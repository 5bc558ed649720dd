package data

import (
	"fmt"
	"io"
	"math/rand/v2"
)

// shifted is a Dataset of the moved images of another.
type shifted struct {
	wrapper
	pixels int
	seed   uint64
}

// Shifted returns the images of ds, each moved vertically and horizontally by a uniform
// random number of up to that many pixels. The shift depends only on the seed and the
// index of the image, so it is the same at every read. Vacated pixels are 0. Shifted is
// for the test split what Augmentation.Shift is for the training split. It returns an
// error if pixels is negative or not less than the shorter side of the images.
func Shifted(ds Dataset, pixels int, seed uint64) (Dataset, error) {
	if err := (Augmentation{Shift: pixels}).Check(ds.Shape()); err != nil {
		return nil, err
	}
	return &shifted{wrapper{ds}, pixels, seed}, nil
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

// view returns the shift of image i.
func (s *shifted) view(i int) view {
	pcg := rand.NewPCG(0, 0)
	seedStream(pcg, s.seed, "shifted", uint64(i))
	return randomShift(rand.New(pcg), s.pixels)
}

func (s *shifted) identify(w io.Writer, i int) error {
	v := s.view(i)
	if _, err := fmt.Fprintf(w, "moved %d down, %d right\n", v.down, v.right); err != nil {
		return err
	}
	return identify(w, s.Dataset, i)
}
