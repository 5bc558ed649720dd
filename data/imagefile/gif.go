package imagefile

import (
	"bytes"
	"image"
	"image/gif"
	"io"
)

// decodeGIF decodes the first picture of a GIF on its whole canvas, as Pillow does: transparent pixels have the colour of the
// palette, and so have those outside of the picture, or the first colour if none is transparent. The standard library makes
// transparent pixels black and returns the picture without the canvas.
func decodeGIF(r io.Reader) (image.Image, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	outside := opaqueGIF(content)
	size, err := gif.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	img, err := gif.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	canvas := image.Rect(0, 0, size.Width, size.Height)
	first, ok := img.(*image.Paletted)
	if !ok || first.Rect == canvas {
		return img, nil
	}
	whole := image.NewPaletted(canvas, first.Palette)
	for i := range whole.Pix {
		whole.Pix[i] = outside
	}
	for y := first.Rect.Min.Y; y < first.Rect.Max.Y; y++ {
		copy(whole.Pix[whole.PixOffset(first.Rect.Min.X, y):], first.Pix[first.PixOffset(first.Rect.Min.X, y):][:first.Rect.Dx()])
	}
	return whole, nil
}

// opaqueGIF removes from a GIF's content that a colour of its first picture is transparent, and returns the index of that
// colour, 0 if there is none. An index beyond the palette stays transparent, which the standard library needs to read it.
func opaqueGIF(content []byte) (transparent uint8) {
	const header, extension, control, picture = 13, 0x21, 0xf9, 0x2c
	if len(content) < header {
		return 0
	}
	at, colours := header, 0
	if flags := content[10]; flags&0x80 != 0 { // a palette follows
		colours = 2 << (flags & 7)
		at += 3 * colours
	}
	var flags []*byte
	for at+2 < len(content) && content[at] == extension {
		label := content[at+1]
		for at += 2; at < len(content) && content[at] != 0; at += 1 + int(content[at]) {
			if label == control && content[at] == 4 && at+4 < len(content) && content[at+1]&1 != 0 {
				flags, transparent = append(flags, &content[at+1]), content[at+4]
			}
		}
		at++
	}
	if at+9 < len(content) && content[at] == picture && content[at+9]&0x80 != 0 { // a palette of its own
		colours = 2 << (content[at+9] & 7)
	}
	if int(transparent) < colours {
		for _, f := range flags {
			*f &^= 1
		}
	}
	return transparent
}
