package imagefile

import (
	"bytes"
	"image"
	"image/draw"
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
	draw.Draw(whole, first.Rect, first, first.Rect.Min, draw.Src)
	return whole, nil
}

// opaqueGIF removes from a GIF's content that a colour of its first picture is transparent, and returns the index of that
// colour, 0 if there is none.
func opaqueGIF(content []byte) (transparent uint8) {
	const header, extension, control = 13, 0x21, 0xf9
	if len(content) < header {
		return 0
	}
	at := header
	if flags := content[10]; flags&0x80 != 0 { // a palette follows
		at += 3 << (1 + flags&7)
	}
	for at+2 < len(content) && content[at] == extension {
		label := content[at+1]
		for at += 2; at < len(content) && content[at] != 0; at += 1 + int(content[at]) {
			if label == control && content[at] == 4 && at+4 < len(content) && content[at+1]&1 != 0 {
				content[at+1] &^= 1
				transparent = content[at+4]
			}
		}
		at++
	}
	return transparent
}
