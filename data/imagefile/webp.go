package imagefile

import "image"

// webpToRGB converts the planes of a lossy WebP as libwebp does, and hence Pillow: it interpolates the colour samples, one for
// 2×2 pixels, and converts by ITU-R BT.601 for luma from 16 to 235. The standard library takes them for those of a JPEG.
func webpToRGB(src *image.YCbCr) *Picture {
	columns, rows := (src.Rect.Dx()+1)/2, (src.Rect.Dy()+1)/2
	chroma := func(plane []uint8, x, y int) int {
		i, j := x/2, y/2
		besideI, besideJ := min(max(i-1+x%2*2, 0), columns-1), min(max(j-1+y%2*2, 0), rows-1)
		nearest, beside := int(plane[j*src.CStride+i]), int(plane[j*src.CStride+besideI])
		above, across := int(plane[besideJ*src.CStride+i]), int(plane[besideJ*src.CStride+besideI])
		return ((nearest+3*beside+3*above+across+8)>>3 + nearest) >> 1
	}
	return fill(src, func(x, y int) (r, g, b uint8) {
		x, y = x-src.Rect.Min.X, y-src.Rect.Min.Y
		luma := int(src.Y[y*src.YStride+x]) * 19077 >> 8
		cb, cr := chroma(src.Cb, x, y), chroma(src.Cr, x, y)
		return clamp8((luma + cr*26149>>8 - 14234) >> 6),
			clamp8((luma - cb*6419>>8 - cr*13320>>8 + 8708) >> 6),
			clamp8((luma + cb*33050>>8 - 17685) >> 6)
	})
}
