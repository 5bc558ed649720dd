#!/usr/bin/python3
"""Makes nearest.json: which elements PyTorch's nearest interpolation takes.

    cd models/fromonnx/testdata && /usr/bin/python3 nearest.py

An axis that is scaled by a factor (2 to 64 elements) or to a size (2 to 32 elements, to 2 to 64) is written as two numbers: how many
elements the result has, and the sum of its elements, each times its place from 1.
"""
import json, torch, torch.nn.functional as F


def taken(n, **to):
    y = F.interpolate(torch.arange(n).float().view(1, 1, n, 1), mode="nearest", **to).flatten().tolist()
    return [len(y), sum((i + 1) * int(v) for i, v in enumerate(y))]


factors = [.3, .4, .5, .6, .7, .75, .8, .9, 1.05, 1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.05, 2.2, 2.5, 2.7, 3,
           1 / 3, 2 / 3, 4 / 3, 8 / 7]
json.dump({
    "Factors": factors,
    "Scaled": [[taken(n, scale_factor=(float(f), 1.)) if int(n * f) > 0 else [0, 0] for n in range(2, 65)] for f in factors],
    "Sized": [[taken(n, size=(o, 1)) for o in range(2, 65)] for n in range(2, 33)],
}, open("nearest.json", "w"), separators=(",", ":"))
