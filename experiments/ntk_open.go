package experiments

import (
	"cmp"
	"fmt"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// openImages opens the images, but for their normalisation.
func (m *NTKMeasurement) openImages(a *models.Architecture) error {
	s := &m.spec
	s.Split = cmp.Or(s.Split, "test")
	src, err := openData(s.DataSpec, a)
	if err != nil {
		return err
	}
	have := src.set.Len()
	switch {
	case s.Images < 0:
		s.Images = min(DefaultKernelImages, have)
	case s.Images == 0:
		return badInput("--images 0: want at least 1")
	case s.Images > have:
		return badInput("--images %d: %s has %d", s.Images, src.set.Name(), have)
	}
	src.set = data.Head(src.set, s.Images)
	if s.Shift > 0 {
		if src.set, err = data.Shifted(src.set, s.Shift, s.Seed); err != nil {
			return badInput("--shift %d: %v", s.Shift, err)
		}
	}
	m.source = src
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
	return m.source.normalise(s, m.net.Arch)
}

// drawWeights draws fresh weights, once it is known that there is room.
func (m *NTKMeasurement) drawWeights(a *models.Architecture) error {
	s, in := m.spec, m.source.shape()
	outputs := cmp.Or(s.Outputs, len(m.source.set.Classes()))
	if outputs < 1 {
		return badInput("%s has no classes: give --outputs", s.Data)
	}
	f, err := freshNetwork(a, in, outputs, s.Seed)
	if err != nil {
		return err
	}
	if s.Outputs > 0 && f.Classes() != s.Outputs {
		return badInput("--outputs %d: %s has %d of its own", s.Outputs, a.Name, f.Classes())
	}
	if err := m.fits(f.Size(), f.Classes()); err != nil {
		return err
	}
	if m.net, err = a.InitNetwork(in, outputs, s.Seed); err != nil {
		return &InputError{err}
	}
	m.conv.Weights = fmt.Sprintf("fresh, %s, seed %d", m.net.Arch.Init, s.Seed)
	return nil
}

// openWeights reads the trained weights, and those before training.
func (m *NTKMeasurement) openWeights(a *models.Architecture) error {
	s, in := m.spec, m.source.shape()
	if s.Init != "" {
		return badInput("--init is for fresh weights, not for --weights")
	}
	net, state, err := openWeights(a, s.Weights, in)
	if err != nil {
		return err
	}
	if s.Outputs > 0 && net.Classes != s.Outputs {
		return badInput("--outputs %d: the network in %s has %d", s.Outputs, s.Weights, net.Classes)
	}
	m.net = net
	m.conv.Weights, m.conv.WeightsSHA256, m.conv.trainedWith = s.Weights, state.SHA256(), state.Metadata()[normalisationMetadata]
	if s.InitWeights != "" {
		if m.initial, _, err = openWeights(a, s.InitWeights, in); err != nil {
			return err
		}
		if m.initial.Classes != net.Classes {
			return badInput("%s has %d outputs, %s has %d", s.InitWeights, m.initial.Classes, s.Weights, net.Classes)
		}
		m.conv.Initial = s.InitWeights
	}
	return m.fits(net.Size(), net.Classes)
}

// fits refuses a kernel that memory does not hold.
func (m *NTKMeasurement) fits(parameters, outputs int) error {
	r := kernelRoom{
		parameters: parameters, outputs: outputs, width: cmp.Or(m.spec.Width, 1), copies: 2, images: m.spec.Images, element: valuesElement, flag: "--images",
	}
	if m.spec.InitWeights != "" {
		r.copies++
	}
	return r.check(availableMemory())
}
