#!/usr/bin/env python3
"""Writes image_sets.json and the images of image_sets, and those of testdata/ppm of package imagefile.

image_sets.json says, for every dataset of files, how a small tree in the layout
of its publisher looks, and what torchvision makes of it:

texts     the content of its lists, by path
numbered  its images, by folder: a pattern for their names, the first and the last number
opened    by spec and split: the classes, the number of samples, the first few as
          "PATH LABEL", and the SHA-256 of all of them, each with a line end

image_sets holds the images that stand for all those of an extension and size.
ppm holds PPM and PGM files, and NAME-EXT.rgb.png, what Pillow's convert("RGB")
makes of each; of 16-bit grey, which Pillow clips instead of scaling, NumPy.

Needs Pillow, numpy and torchvision (made with 9.4.0, 1.24.2 and 0.14.1).
"""
import hashlib
import json
import pathlib
import shutil
import tempfile

import numpy as np
from PIL import Image
from torchvision import datasets

DIR = pathlib.Path(__file__).parent
SETS = DIR / "image_sets"
PPM = DIR.parent / "imagefile/testdata/ppm"

DTD = """banded blotchy braided bubbly bumpy chequered cobwebbed cracked crosshatched crystalline dotted
fibrous flecked freckled frilly gauzy grid grooved honeycombed interlaced knitted lacelike lined marbled
matted meshed paisley perforated pitted pleated polka-dotted porous potholed scaly smeared spiralled
sprinkled stained stratified striped studded swirly veined waffled woven wrinkled zigzagged""".split()

ATTRIBUTES = """5_o_Clock_Shadow Arched_Eyebrows Attractive Bags_Under_Eyes Bald Bangs Big_Lips Big_Nose
Black_Hair Blond_Hair Blurry Brown_Hair Bushy_Eyebrows Chubby Double_Chin Eyeglasses Goatee Gray_Hair
Heavy_Makeup High_Cheekbones Male Mouth_Slightly_Open Mustache Narrow_Eyes No_Beard Oval_Face Pale_Skin
Pointy_Nose Receding_Hairline Rosy_Cheeks Sideburns Smiling Straight_Hair Wavy_Hair Wearing_Earrings
Wearing_Hat Wearing_Lipstick Wearing_Necklace Wearing_Necktie Young""".split()

SNAKES = """n01728572 n01728920 n01729322 n01729977 n01734418 n01735189 n01737021 n01739381 n01740131
n01742172""".split()


def picture(w, h):
    y, x = np.mgrid[0:h, 0:w]
    rgb = np.stack([255 * x / (w - 1), 255 * y / (h - 1), 127 + 127 * np.sin((x + 2 * y) / 6)], -1)
    return Image.fromarray(rgb.round().astype(np.uint8))


def write_images():
    SETS.mkdir(exist_ok=True)
    picture(29, 30).save(SETS / "sign.ppm")
    picture(30, 20).save(SETS / "photo.jpg", quality=60)
    picture(178, 218).resize((178, 218)).save(SETS / "face.jpg", quality=20)


def write_ppm():
    PPM.mkdir(exist_ok=True)
    rng = np.random.default_rng(1)
    for channels, magic, ext in ((3, b"P6", "ppm"), (1, b"P5", "pgm")):
        for most in (1, 15, 100, 255, 256, 1000, 65535):
            v = rng.integers(0, most + 1, (5, 7, channels))
            v[0, 0], v[0, 1] = 0, most
            raster = v.astype(">u2" if most > 255 else "u1").tobytes()
            path = PPM / f"{most}.{ext}"
            path.write_bytes(magic + b"\n# 7 by 5\n7 5\n%d\n" % most + raster)
            rgb = Image.open(path).convert("RGB")
            if channels == 1 and most > 255:
                rgb = Image.fromarray(np.repeat(np.rint(v / most * 255).astype(np.uint8), 3, -1))
            rgb.save(PPM / f"{most}-{ext}.rgb.png")


def gtsrb():
    header = "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId"
    root = "gtsrb/GTSRB"
    texts, numbered = {}, {}
    for c in range(43):
        folder = f"{root}/Training/{c:05d}"
        numbered[folder] = ["00000_%05d.ppm", 0, c % 3]
        rows = [f"00000_{i:05d}.ppm;29;30;5;6;24;25;{c}" for i in range(c % 3 + 1)]
        texts[f"{folder}/GT-{c:05d}.csv"] = "\r\n".join([header] + rows) + "\r\n"
    numbered[f"{root}/Final_Test/Images"] = ["%05d.ppm", 0, 59]
    rows = [f"{i:05d}.ppm;29;30;5;6;24;25;{i * 7 % 43}" for i in range(60)]
    texts["gtsrb/GT-final_test.csv"] = "\r\n".join([header] + rows) + "\r\n"

    def opened(tmp):
        for split in ("train", "test"):
            d = datasets.GTSRB(tmp, split)
            yield "gtsrb", split, None, samples(d._samples, d._target_folder)

    return texts, numbered, opened


def dtd():
    texts, numbered = {}, {}
    for k, c in enumerate(DTD):
        numbered[f"dtd/dtd/images/{c}"] = [c + "_%04d.jpg", 1, 3]
    for partition in range(1, 11):
        for s, split in enumerate(("train", "val", "test")):
            names = [f"{c}/{c}_{1 + (s + k + partition) % 3:04d}.jpg" for k, c in enumerate(DTD)]
            if partition in (1, 8):
                texts[f"dtd/dtd/labels/{split}{partition}.txt"] = "\n".join(names) + "\n"

    def opened(tmp):
        for partition, spec in ((1, "dtd"), (8, "dtd:8")):
            for split, ours in (("train", "train"), ("val", "validation"), ("test", "test")):
                d = datasets.DTD(tmp, split, partition)
                yield spec, ours, d.classes, samples(zip(d._image_files, d._labels), d._images_folder)

    return texts, numbered, opened


def aircraft():
    root = "fgvc-aircraft-2013b/data"
    names = {
        "variant": ["707-320", "737-200", "737-300", "F/A-18", "DHC-8-100", "Il-76"],
        "family": ["Boeing 707", "Boeing 737", "F/A-18", "Dash 8", "Il-76"],
        "manufacturer": ["Boeing", "McDonnell Douglas", "de Havilland", "Ilyushin"],
    }
    above = {"family": [0, 1, 1, 2, 3, 4], "manufacturer": [0, 0, 0, 1, 2, 3]}
    texts = {}
    for level, file in (("variant", "variants"), ("family", "families"), ("manufacturer", "manufacturers")):
        texts[f"{root}/{file}.txt"] = "\n".join(names[level]) + "\n"
        for s, split in enumerate(("train", "val", "test")):
            rows = []
            for i in range(12):
                variant = i // 2
                k = above[level][variant] if level in above else variant
                rows.append(f"{1 + s + 3 * ((5 * i) % 12):07d} {names[level][k]}")
            texts[f"{root}/images_{level}_{split}.txt"] = "\n".join(rows) + "\n"
    numbered = {f"{root}/images": ["%07d.jpg", 1, 36]}

    def opened(tmp):
        for level in names:
            for split, ours in (("train", "train"), ("val", "validation"), ("test", "test")):
                d = datasets.FGVCAircraft(tmp, split, level)
                images = pathlib.Path(tmp) / root / "images"
                yield f"aircraft:{level}", ours, d.classes, samples(zip(d._image_files, d._labels), images)

    return texts, numbered, opened


def caltech101():
    classes = sorted(["Faces", "Faces_easy", "Leopards", "Motorbikes"] + [f"thing_{k:02d}" for k in range(97)])
    root = "caltech101/101_ObjectCategories"
    numbered = {f"{root}/{c}": ["image_%04d.jpg", 1, 31 + k % 4] for k, c in enumerate(classes)}
    numbered[f"{root}/BACKGROUND_Google"] = ["image_%04d.jpg", 1, 2]

    def opened(tmp):
        d = datasets.Caltech101(tmp)
        pairs = [(f"{d.categories[y]}/image_{i:04d}.jpg", y) for i, y in zip(d.index, d.y)]
        yield "caltech101", "", d.categories, [f"{p} {y}" for p, y in pairs]

    return {}, numbered, opened


class CelebA(datasets.CelebA):
    """CelebA without its check of the digests of the lists."""

    def _check_integrity(self):
        return True


def celeba():
    rng = np.random.default_rng(2)
    n = 24
    files = [f"{1 + i:06d}.jpg" for i in range(n)]
    values = rng.choice([-1, 1], (n, 40))
    rows = [f + "".join(f" {v:2d}" for v in row) for f, row in zip(files, values)]
    splits = [0] * 12 + [1] * 5 + [2] * 7
    texts = {
        "celeba/list_attr_celeba.txt": f"{n}\n" + " ".join(ATTRIBUTES) + " \n" + "\n".join(rows) + "\n",
        "celeba/list_eval_partition.txt": "".join(f"{f} {s}\n" for f, s in zip(files, splits)),
    }
    numbered = {"celeba/img_align_celeba": ["%06d.jpg", 1, n]}

    def opened(tmp):
        base = pathlib.Path(tmp) / "celeba"  # lists that torchvision needs and we do not
        (base / "identity_CelebA.txt").write_text("".join(f"{f} 1\n" for f in files))
        for name, width in (("list_bbox_celeba.txt", 4), ("list_landmarks_align_celeba.txt", 10)):
            rows = "".join(f + " 1" * width + "\n" for f in files)
            (base / name).write_text(f"{n}\n" + " ".join("abcdefghij"[:width]) + "\n" + rows)
        for spec, attribute in (("celeba", "Smiling"), ("celeba:Male", "Male"), ("celeba:Young", "Young")):
            for split, ours in (("train", "train"), ("valid", "validation"), ("test", "test")):
                d = CelebA(tmp, split)
                labels = d.attr[:, d.attr_names.index(attribute)].tolist()
                yield spec, ours, ["not " + attribute, attribute], [f"{f} {v}" for f, v in zip(d.filename, labels)]

    return texts, numbered, opened


def snakes():
    numbered = {}
    for k, c in enumerate(SNAKES):
        numbered[f"imagenet/train/{c}"] = [c + "_%d.JPEG", 7, 12]  # 10 sorts before 7
        numbered[f"imagenet/val/{c}"] = ["ILSVRC2012_val_%08d.JPEG", 1 + 3 * k, 3 + 3 * k]

    def opened(tmp):
        for folder, splits in (("train", ["train"]), ("val", ["validation", "test"])):
            root = pathlib.Path(tmp) / "imagenet" / folder
            d = datasets.ImageFolder(root)
            for split in splits:
                yield "imagenet:snakes", split, None, samples(d.samples, root)

    return {}, numbered, opened


def samples(pairs, root):
    return [f"{pathlib.Path(p).relative_to(root).as_posix()} {label}" for p, label in pairs]


def write_tree(tmp, texts, numbered):
    for path, text in texts.items():
        file = tmp / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    for folder, (pattern, first, last) in numbered.items():
        (tmp / folder).mkdir(parents=True, exist_ok=True)
        for i in range(first, last + 1):
            (tmp / folder / (pattern % i)).touch()


def main():
    write_images()
    write_ppm()
    out = {}
    for make in (gtsrb, dtd, aircraft, caltech101, celeba, snakes):
        texts, numbered, opened = make()
        tmp = pathlib.Path(tempfile.mkdtemp())
        try:
            write_tree(tmp, texts, numbered)
            told = [
                {
                    "spec": spec,
                    "split": split,
                    "classes": classes,
                    "samples": len(lines),
                    "first": lines[:4],
                    "sha256": hashlib.sha256("".join(s + "\n" for s in lines).encode()).hexdigest(),
                }
                for spec, split, classes, lines in opened(str(tmp))
            ]
        finally:
            shutil.rmtree(tmp)
        out[make.__name__] = {"texts": texts, "numbered": numbered, "opened": told}
    (DIR / "image_sets.json").write_text(json.dumps(out, indent=0) + "\n")


if __name__ == "__main__":
    main()
