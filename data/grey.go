package data

import (
	"fmt"
)

// Grey returns the images of ds in one channel, .299 red + .587 green + .114
// blue (ITU-R 601), like torchvision's Grayscale. Where ds holds bytes they stay
// bytes, and are those of Pillow's convert("L") to the bit; images that are
// decoded or scaled as they are read are not rounded again. A set of one channel is returned as it is; any but one or
// three are an error.
func Grey(ds Dataset) (Dataset, error) {
	s := ds.Shape()
	switch s.Channels {
	case 1:
		return ds, nil
	case 3:
	default:
		return nil, fmt.Errorf("data: grey images of %s: it has %d channels, expected 1 or 3", ds.Name(), s.Channels)
	}
	s.Channels = 1
	return &mapped{Dataset: ds, shape: s, how: "grey", floats: greyFloats, planes: greyPlanes}, nil
}

func greyFloats(dst, src []float32) {
	for k := range dst {
		r, g, b := float64(src[3*k]), float64(src[3*k+1]), float64(src[3*k+2])
		// The conversions forbid fused operations.
		dst[k] = float32(float64(.299*r) + float64(.587*g) + float64(.114*b))
	}
}

// greyPlanes rounds as Pillow does, with the weights in 16 bits.
func greyPlanes(dst, src []uint8) {
	n := len(dst)
	r, g, b := src[:n], src[n:2*n], src[2*n:3*n]
	for k := range dst {
		dst[k] = uint8((19595*uint32(r[k]) + 38470*uint32(g[k]) + 7471*uint32(b[k]) + 1<<15) >> 16)
	}
}
