package backend

import "fmt"

// ConvShape is the geometry of a convolution: N images of H×W×C, filters of
// KH×KW×C/Groups, and the stride, zero padding on each side and dilation in either
// direction. The k-th group of filters reads the k-th group of channels. Strides,
// dilations and groups of 0 count as 1.
type ConvShape struct {
	N, H, W, C       int
	Filters, KH, KW  int
	StrideH, StrideW int
	PadH, PadW       int
	DilateH, DilateW int
	Groups           int
}

// Normal returns s with strides, dilations and groups of 0 replaced by 1.
func (s ConvShape) Normal() ConvShape {
	for _, p := range []*int{&s.StrideH, &s.StrideW, &s.DilateH, &s.DilateW, &s.Groups} {
		if *p == 0 {
			*p = 1
		}
	}
	return s
}

// Check returns an error if s is not possible.
func (s ConvShape) Check() error {
	if s.N < 1 || s.H < 1 || s.W < 1 || s.C < 1 {
		return fmt.Errorf("convolution of %d images of %d×%d×%d: every size must be at least 1", s.N, s.H, s.W, s.C)
	}
	if s.Filters < 1 || s.KH < 1 || s.KW < 1 {
		return fmt.Errorf("convolution with %d filters of %d×%d: every size must be at least 1", s.Filters, s.KH, s.KW)
	}
	if s.StrideH < 1 || s.StrideW < 1 || s.DilateH < 1 || s.DilateW < 1 || s.PadH < 0 || s.PadW < 0 {
		return fmt.Errorf(
			"convolution with stride %d×%d, dilation %d×%d, padding %d×%d: strides and dilations must be at least "+
				"1, paddings at least 0",
			s.StrideH, s.StrideW, s.DilateH, s.DilateW, s.PadH, s.PadW)
	}
	if s.Groups < 1 || s.C%s.Groups != 0 || s.Filters%s.Groups != 0 {
		return fmt.Errorf("convolution with %d groups: want a number that divides the %d channels and the %d filters",
			s.Groups, s.C, s.Filters)
	}
	if s.OutH() < 1 || s.OutW() < 1 {
		return fmt.Errorf(
			"convolution: filters of %d×%d (dilation %d×%d) do not fit in images of %d×%d with padding %d×%d",
			s.KH, s.KW, s.DilateH, s.DilateW, s.H, s.W, s.PadH, s.PadW)
	}
	return nil
}

// OutH returns the number of rows of the output.
func (s ConvShape) OutH() int { return outSize(s.H, s.KH, s.StrideH, s.PadH, s.DilateH) }

// OutW returns the number of columns of the output.
func (s ConvShape) OutW() int { return outSize(s.W, s.KW, s.StrideW, s.PadW, s.DilateW) }

// Rows returns the number of positions over all images.
func (s ConvShape) Rows() int { return s.N * s.OutH() * s.OutW() }

// PatchSize returns the number of elements of a patch that a filter reads, C/Groups·KH·KW.
func (s ConvShape) PatchSize() int { return s.C / s.Groups * s.KH * s.KW }

// pointwise reports whether the patches are the pixels themselves.
func (s ConvShape) pointwise() bool {
	return s.KH == 1 && s.KW == 1 && s.StrideH == 1 && s.StrideW == 1 && s.PadH == 0 && s.PadW == 0
}

func outSize(in, kernel, stride, pad, dilate int) int {
	reach := in + 2*pad - dilate*(kernel-1) - 1
	if reach < 0 {
		return 0
	}
	return reach/stride + 1
}

// Span is one window along one axis: the elements Lo ≤ i < Hi, and the factor
// that it contributes to the divisor of an average.
type Span struct{ Lo, Hi, Divisor int }

// Windows are the windows of a pooling over N images of H×W×C. Every pair of a
// span of rows and a span of columns is one window.
type Windows struct {
	N, H, W, C int
	Rows, Cols []Span
}

// OutSize returns the number of elements of one image after pooling.
func (w *Windows) OutSize() int { return len(w.Rows) * len(w.Cols) * w.C }

// InSize returns the number of elements of one image before pooling.
func (w *Windows) InSize() int { return w.H * w.W * w.C }

// Pooling is the geometry of a pooling along one axis, as in PyTorch.
type Pooling struct {
	Size, Stride, Pad int
	// Ceil lets the last window overhang, CountPad counts padding in averages.
	Ceil, CountPad bool
}

// Spans lists the windows of p along an axis of n elements.
func (p Pooling) Spans(n int) ([]Span, error) {
	if p.Stride == 0 {
		p.Stride = p.Size
	}
	if p.Size < 1 || p.Stride < 1 || p.Pad < 0 || 2*p.Pad > p.Size {
		return nil, fmt.Errorf(
			"pooling of size %d, stride %d, padding %d: want size and stride at least 1, padding between 0 and half "+
				"the size", p.Size, p.Stride, p.Pad)
	}
	reach := n + 2*p.Pad - p.Size
	if p.Ceil {
		reach += p.Stride - 1
	}
	if reach < 0 {
		return nil, fmt.Errorf("pooling: a window of %d does not fit in %d with padding %d", p.Size, n, p.Pad)
	}
	count := reach/p.Stride + 1
	if p.Ceil && (count-1)*p.Stride >= n+p.Pad {
		count-- // a window that would start in the padding on the right
	}
	spans := make([]Span, count)
	for i := range spans {
		lo := i*p.Stride - p.Pad
		hi := lo + p.Size
		s := Span{Lo: max(lo, 0), Hi: min(hi, n)}
		s.Divisor = s.Hi - s.Lo
		if p.CountPad {
			s.Divisor = min(hi, n+p.Pad) - lo
		}
		spans[i] = s
	}
	return spans, nil
}

// AdaptiveSpans lists the windows that reduce (or repeat) n elements to count,
// as PyTorch's adaptive pooling does.
func AdaptiveSpans(n, count int) ([]Span, error) {
	if n < 1 || count < 1 {
		return nil, fmt.Errorf("adaptive pooling of %d elements to %d: want both at least 1", n, count)
	}
	spans := make([]Span, count)
	for i := range spans {
		lo, hi := i*n/count, ((i+1)*n+count-1)/count
		spans[i] = Span{lo, hi, hi - lo}
	}
	return spans, nil
}
