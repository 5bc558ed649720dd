#!/usr/bin/env python3
"""Writes a small image to testdata/grey, and what Pillow makes of it.

colour.png         a picture of 45x31 pixels
colour-grey.png    convert("L") of it

Needs Pillow and numpy (made with 9.4.0 and 1.24.2).
"""
import pathlib

import numpy as np
from PIL import Image

DIR = pathlib.Path(__file__).parent / "grey"


def picture(w=45, h=31):
    y, x = np.mgrid[0:h, 0:w]
    rgb = np.stack([255 * x / (w - 1), 127 + 127 * np.sin((x + 2 * y) / 3), 255 * ((x // 3 + y // 2) % 2)], -1)
    rgb[8:20, 10:23] = (230, 20, 30)
    return Image.fromarray(rgb.round().astype(np.uint8))


def main():
    DIR.mkdir(exist_ok=True)
    colour = picture()
    colour.save(DIR / "colour.png")
    colour.convert("L").save(DIR / "colour-grey.png")


if __name__ == "__main__":
    main()
