package models

// Size is the number of trained weights, none of which has been drawn.
func (f *Fresh) Size() int { return f.n.Size() }

// Classes is the number of outputs.
func (f *Fresh) Classes() int { return f.n.Classes }
