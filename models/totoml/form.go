package totoml

import "slices"

// The axes of the values of a tree of layers: images (N, R, C, F), tokens (N, T, F) and features (N, F). The products
// of an attention have S, the axis of the keys, besides.
const (
	axisN, axisF, axisR, axisC, axisT, axisS = 'N', 'F', 'R', 'C', 'T', 'S'
)

// atom is a run of places along an axis of a value: size places, stride apart. An attention with h heads of d features
// each divides the axis of the features into the atoms (F, h, d) and (F, d, 1).
type atom struct {
	axis         rune
	size, stride int
}

// form says which places of a value each axis of an ONNX tensor runs along. Axes of one element have no atoms.
type form [][]atom

// whole returns the atoms of an axis that runs along a whole axis of a value.
func whole(axis rune, size int) []atom {
	if size == 1 {
		return nil
	}
	return []atom{{axis, size, 1}}
}

// merged returns atoms without those of one element, and with neighbours that form one run merged.
func merged(axis []atom) []atom {
	var out []atom
	for _, a := range axis {
		if a.size == 1 {
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].axis == a.axis && out[n].stride == a.size*a.stride {
			out[n].size, out[n].stride = out[n].size*a.size, a.stride
			continue
		}
		out = append(out, a)
	}
	return out
}

// concat returns the atoms of several axes as those of one axis.
func concat(axes ...[]atom) []atom { return merged(slices.Concat(axes...)) }

// transpose returns the form of the tensor whose axis k is axis perm[k] of f. It reports false if perm does not fit f.
func (f form) transpose(perm []int) (form, bool) {
	out := make(form, len(perm))
	for k, axis := range perm {
		if axis < 0 || axis >= len(f) {
			return nil, false
		}
		out[k] = f[axis]
	}
	return out, len(perm) == len(f)
}

// reshape returns the form of a reshaped tensor. It reports false if a new axis begins or ends within a run that cannot be
// divided there.
func (f form) reshape(to []int) (form, bool) {
	rest := slices.Concat(f...)
	out := make(form, len(to))
	for i, n := range to {
		for n > 1 {
			if len(rest) == 0 {
				return nil, false
			}
			switch a := &rest[0]; {
			case n%a.size == 0:
				out[i] = append(out[i], *a)
				n /= a.size
				rest = rest[1:]
			case a.size%n == 0:
				a.size /= n
				out[i] = append(out[i], atom{a.axis, n, a.stride * a.size})
				n = 1
			default:
				return nil, false
			}
		}
		out[i] = merged(out[i])
	}
	return out, len(rest) == 0
}

// replaced returns the form with a run of atoms within an axis replaced. It reports false if no axis has the run.
func (f form) replaced(old, by []atom) (form, bool) {
	out, found := slices.Clone(f), false
	if len(old) == 0 {
		return out, true
	}
	for i, axis := range f {
		for k := 0; k+len(old) <= len(axis) && !found; k++ {
			if slices.Equal(axis[k:k+len(old)], old) {
				out[i], found = concat(axis[:k], by, axis[k+len(old):]), true
			}
		}
	}
	return out, found
}

// extended returns the form with axes of one element put before its own, up to rank axes.
func (f form) extended(rank int) form {
	return append(make(form, max(0, rank-len(f))), f...)
}

// kind says what a value is.
type kind int

const (
	image kind = iota
	tokens
	features
)

// String returns a plural noun for values of the kind.
func (k kind) String() string { return []string{"images", "tokens", "features"}[k] }

// value describes a layer's output: its kind and the sizes of its axes; an absent axis has size 1.
type value struct {
	kind       kind
	f, r, c, t int
}

// positions returns the number of positions of an image.
func (v value) positions() int { return v.r * v.c }

// tensor is an ONNX tensor that depends on the images: the index of the op that makes it, and its form.
type tensor struct {
	op int
	form
}
