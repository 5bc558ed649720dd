#!/usr/bin/python3
"""The empirical neural tangent kernel of a ResNet-20 with random weights in PyTorch, for cmd/bench.

    ntk.py IMAGES    prints the seconds of the kernel of so many images of noise, 10 outputs each

It is functorch's own way (its tutorial on neural tangent kernels): the Jacobian of each image by vmap and jacrev, then the
products of the Jacobians, parameter by parameter.
"""
import json, sys, time
import torch, torch.nn as nn, torch.nn.functional as F
from functorch import jacrev, make_functional_with_buffers, vmap

torch.set_num_threads(__import__("os").cpu_count())
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(s, i, o, stride):
        super().__init__()
        s.c1, s.b1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        s.c2, s.b2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        s.more = o - i

    def forward(s, x):
        y = s.b2(s.c2(F.relu(s.b1(s.c1(x)))))
        if s.more:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, s.more // 2, s.more // 2))
        return F.relu(x + y)


layers = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
for i, o in ((16, 16), (16, 32), (32, 64)):
    layers += [Block(i, o, 1 if i == o else 2), Block(o, o, 1), Block(o, o, 1)]
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).eval()
f, params, buffers = make_functional_with_buffers(net)
x = torch.randn(int(sys.argv[1]), 3, 32, 32)


def one(params, image):
    return f(params, buffers, image.unsqueeze(0)).squeeze(0)


start = time.perf_counter()
rows = vmap(jacrev(one), (None, 0))(params, x)  # image, output, parameter
rows = [j.flatten(2) for j in rows]
kernel = sum(torch.einsum("naf,mbf->namb", j, j) for j in rows)
print(json.dumps({"seconds": time.perf_counter() - start, "rows": kernel.shape[0] * kernel.shape[1],
                  "parameters": sum(p.numel() for p in params)}))
