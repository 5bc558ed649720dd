"""The CNTK of a ReLU network of 3×3 convolutions without padding, flattened and read out by a linear layer.

    cntk.py IMAGES DEPTH         prints the seconds of the kernel matrix of images of noise, 3×32×32, and of the regression
    cntk.py IMAGES DEPTH agop    adds the average gradient outer product at the patches, by autograd in float64

Only equal positions of two images matter, so that a pair costs depth × pixels.
"""
import math, sys, time

import torch, torch.nn.functional as F

from nets import show

n, depth, agop, q, classes = int(sys.argv[1]), int(sys.argv[2]), "agop" in sys.argv, 3, 10
kind = torch.double if agop else torch.float
x = torch.rand(n, 3, 32, 32, dtype=kind)
y = torch.eye(classes, dtype=kind)[torch.randint(0, classes, (n,))]
side = 32 - q + 1
patches = F.unfold(x, q).transpose(1, 2)  # image, position, element
box = lambda k: F.conv2d(k[:, None], torch.ones(1, 1, q, q, dtype=kind))[:, 0]


def kernel(p, others):
    """The kernel of an image, by its patches, with all others."""
    k, kx, kz = ((t / 3).reshape(-1, side, side) for t in ((p * others).sum(-1), (p * p).sum(-1)[None],
                                                           (others * others).sum(-1)))
    T = k
    for layer in range(depth):
        if layer:
            k, kx, kz = box(k), box(kx), box(kz)
            T = box(T) + k
        s = (kx * kz).sqrt()
        r = (k / s.clamp(min=1e-30)).clamp(-1 + 1e-7, 1 - 1e-7)
        angle = torch.acos(r)
        k, T = s / math.pi * ((1 - r * r).sqrt() + r * (math.pi - angle)), T * (math.pi - angle) / math.pi
    return (T + k).mean((1, 2))


start = time.perf_counter()
with torch.no_grad():
    K = torch.stack([kernel(p, patches) for p in patches])
alpha = torch.linalg.solve(K + 1e-3 * torch.eye(n, dtype=kind), y)
if agop:
    M = 0
    for p in patches:
        p = p.clone().requires_grad_(True)
        f = kernel(p, patches) @ alpha
        for c in range(classes):
            g, = torch.autograd.grad(f[c], p, retain_graph=c < classes - 1)
            M = M + g.T @ g / n
show(seconds=time.perf_counter() - start)
