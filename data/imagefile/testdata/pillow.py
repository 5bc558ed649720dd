#!/usr/bin/env python3
"""Writes the images of testdata/pillow and what Pillow and torchvision make of them.

NAME.EXT            a small image in one of the forms that files come in
NAME-EXT.rgb.png    Image.open(NAME.EXT).convert("RGB")
NAME-EXT.crop.png   Resize(18) and CenterCrop(16) of that; 18 is 16·256//224
NAME-EXT.stretch.png  Resize((16, 16)) of it

Needs Pillow, numpy and torchvision (made with 9.4.0, 1.24.2 and 0.14.1).
"""
import pathlib

import numpy as np
from PIL import Image
from torchvision import transforms

DIR = pathlib.Path(__file__).parent / "pillow"


def picture(w=45, h=31):
    """Smooth colours with sharp coloured edges, where chroma matters most."""
    y, x = np.mgrid[0:h, 0:w]
    rgb = np.stack([255 * x / (w - 1), 255 * y / (h - 1), 127 + 127 * np.sin((x + 2 * y) / 6)], -1)
    rgb[8:20, 10:23] = (230, 20, 30)
    rgb[14:26, 17:37] = (20, 40, 220)
    return Image.fromarray(rgb.round().astype(np.uint8))


def main():
    DIR.mkdir(exist_ok=True)
    p = picture()
    alpha = Image.fromarray(np.tile(np.linspace(0, 255, p.width).astype(np.uint8), (p.height, 1)))
    rgba, la = p.copy(), p.convert("L")
    rgba.putalpha(alpha)
    la.putalpha(alpha)
    palette = p.quantize(16)
    files = {
        "rgb.png": (p, {}),
        "rgba.png": (rgba, {}),
        "grey.png": (p.convert("L"), {}),
        "greyalpha.png": (la, {}),
        "bilevel.png": (p.convert("1"), {}),
        "palette.png": (palette, {}),
        "paletteclear.png": (palette, {"transparency": 3}),
        "tall.png": (p.transpose(Image.Transpose.ROTATE_90), {}),
        "444.jpg": (p, {"quality": 92, "subsampling": 0}),
        "422.jpg": (p, {"quality": 92, "subsampling": 1}),
        "420.jpg": (p, {"quality": 92, "subsampling": 2}),
        "progressive.jpg": (p, {"quality": 92, "subsampling": 2, "progressive": True}),
        "grey.jpg": (p.convert("L"), {"quality": 92}),
        "cmyk.jpg": (p.convert("CMYK"), {"quality": 92}),
        "palette.gif": (palette, {}),
        "clear.gif": (palette, {"transparency": 3}),
        "lossy.webp": (p, {"quality": 92}),
        "lossyalpha.webp": (rgba, {"quality": 92}),
    }
    for name, (image, options) in files.items():
        image.save(DIR / name, **options)
    for name in "palette", "clear":  # pictures on a larger canvas
        content = bytearray((DIR / f"{name}.gif").read_bytes())
        content[6] += 7
        content[8] += 5
        (DIR / f"{name}canvas.gif").write_bytes(content)
        files[f"{name}canvas.gif"] = None
    for name in files:
        stem = name.replace(".", "-")
        rgb = Image.open(DIR / name).convert("RGB")
        rgb.info.pop("transparency", None)  # else save would write it again
        rgb.save(DIR / f"{stem}.rgb.png")
        transforms.CenterCrop(16)(transforms.Resize(18)(rgb)).save(DIR / f"{stem}.crop.png")
        transforms.Resize((16, 16))(rgb).save(DIR / f"{stem}.stretch.png")


if __name__ == "__main__":
    main()
