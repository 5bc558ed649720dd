package models

import "github.com/ansatz-lab/ansatz/models/weights"

// smallSide is the number of rows or columns below which images are small.
const smallSide = 64

// On returns what the architecture's name stands for on images of a size. Only
// VGG's names stand for two forms: torchvision's, and on images of fewer than 64
// rows or columns the one with a single linear layer that the papers train on
// CIFAR (energy, Fig. 2). [Architecture.Form] says which form it is.
func (a *Architecture) On(in Shape) *Architecture { return a.forms(in)[0] }

// forms lists what the name stands for, first on images of the size.
func (a *Architecture) forms(in Shape) []*Architecture {
	if a.small == nil {
		return []*Architecture{a}
	}
	large, small := *a, *a.small
	large.small = nil // a form stays what it is on other images
	small.Width, small.Dropout = a.Width, a.Dropout
	if min(in.Height, in.Width) < smallSide {
		return []*Architecture{&small, &large}
	}
	return []*Architecture{&large, &small}
}

// formOf returns the form that has the weights' head, or the one for images of
// the size if none has.
func (a *Architecture) formOf(d *weights.StateDict, in Shape) *Architecture {
	forms := a.forms(in)
	for _, f := range forms {
		s, err := f.describe(in, 1)
		if err != nil {
			continue
		}
		if _, ok := d.Get(join(s.head, "weight")); ok {
			return f
		}
	}
	return forms[0]
}
