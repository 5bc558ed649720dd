package tangent

import (
	"cmp"
	"fmt"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
)

// openImages opens the images, but for their normalisation.
func (m *NTKMeasurement) openImages(a *models.Architecture) error {
	s := &m.spec
	s.Split = cmp.Or(s.Split, "test")
	src, err := input.Open(s.DataSpec, a)
	if err != nil {
		return err
	}
	have := src.Dataset.Len()
	switch {
	case s.Images < 0:
		s.Images = min(DefaultKernelImages, have)
	case s.Images == 0:
		return input.Errorf("--images 0: want at least 1")
	case s.Images > have:
		return input.Errorf("--images %d: %s has %d", s.Images, src.Dataset.Name(), have)
	}
	src.Dataset = data.Head(src.Dataset, s.Images)
	if s.Shift > 0 {
		if src.Dataset, err = data.Shifted(src.Dataset, s.Shift, s.Seed); err != nil {
			return input.Errorf("--shift %d: %v", s.Shift, err)
		}
	}
	m.Source = src
	return nil
}

// openNetwork opens or draws the weights, and says how images are normalised for
// them: as the weights say that they were trained, else by the dataset.
func (m *NTKMeasurement) openNetwork(a *models.Architecture) error {
	open := m.drawWeights
	if m.spec.Weights != "" {
		open = m.openWeights
	}
	if err := open(a); err != nil {
		return err
	}
	s := m.spec.DataSpec
	s.Normalise = cmp.Or(s.Normalise, m.conv.trainedWith, "dataset")
	return m.Source.Normalise(s, m.net.Arch)
}

// drawWeights draws fresh weights, once it is known that there is room.
func (m *NTKMeasurement) drawWeights(a *models.Architecture) error {
	s, in := m.spec, m.Source.Shape()
	outputs := cmp.Or(s.Outputs, len(m.Source.Dataset.Classes()))
	if outputs < 1 {
		return input.Errorf("%s has no classes: give --outputs", s.Data)
	}
	f, err := train.FreshNetwork(a, in, outputs, s.Seed)
	if err != nil {
		return err
	}
	if s.Outputs > 0 && f.Classes() != s.Outputs {
		return input.Errorf("--outputs %d: %s has %d of its own", s.Outputs, a.Name, f.Classes())
	}
	if err := m.fits(f.Size(), f.Classes()); err != nil {
		return err
	}
	if m.net, err = a.InitNetwork(in, outputs, s.Seed); err != nil {
		return &input.Error{Err: err}
	}
	m.conv.Weights = fmt.Sprintf("fresh, %s, seed %d", m.net.Arch.Init, s.Seed)
	return nil
}

// openWeights reads the trained weights, and those before training.
func (m *NTKMeasurement) openWeights(a *models.Architecture) error {
	s, in := m.spec, m.Source.Shape()
	if s.Init != "" {
		return input.Errorf("--init is for fresh weights, not for --weights")
	}
	net, state, err := input.OpenWeights(a, s.Weights, in)
	if err != nil {
		return err
	}
	if s.Outputs > 0 && net.Classes != s.Outputs {
		return input.Errorf("--outputs %d: the network in %s has %d", s.Outputs, s.Weights, net.Classes)
	}
	m.net = net
	m.conv.Weights, m.conv.WeightsSHA256, m.conv.trainedWith = s.Weights, state.SHA256(), state.Metadata()[input.NormalisationMetadata]
	if s.InitWeights != "" {
		if m.initial, _, err = input.OpenWeights(a, s.InitWeights, in); err != nil {
			return err
		}
		if m.initial.Classes != net.Classes {
			return input.Errorf("%s has %d outputs, %s has %d", s.InitWeights, m.initial.Classes, s.Weights, net.Classes)
		}
		m.conv.Initial = s.InitWeights
	}
	return m.fits(net.Size(), net.Classes)
}

// fits refuses a kernel that memory does not hold.
func (m *NTKMeasurement) fits(parameters, outputs int) error {
	r := train.KernelRoom{
		Parameters: parameters, Outputs: outputs, Width: cmp.Or(m.spec.Width, 1), Copies: 2, Images: m.spec.Images, Element: train.ValuesElement, Flag: "--images",
	}
	if m.spec.InitWeights != "" {
		r.Copies++
	}
	return r.Check(record.AvailableMemory())
}
