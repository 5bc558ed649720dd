#!/usr/bin/python3
"""Makes train.json: the losses of PyTorch over 50 training steps, for every
optimiser, every loss, with and without batch norm, in float64 and in float32.

    apt-get install -y python3-torch python3-torchvision
    /usr/bin/python3 models/testdata/train.py > models/testdata/train.json

Weights, images and labels are arithmetic on names and places (peer.py's ramp),
so that the Go test takes the very same steps: four batches of 16 images, over
and over, and a step of 7 images in every fifth.
"""
import json, sys
import numpy as np, torch, torch.nn as nn
from peer import fill, ramp

STEPS, BATCH, FEW, SHAPE, CLASSES = 50, 16, 7, (3, 8, 8), 4

OPTIMISERS = dict(
    sgd=lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9, weight_decay=1e-3),
    adam=lambda p: torch.optim.Adam(p, lr=2e-3, weight_decay=1e-3),
    adamw=lambda p: torch.optim.AdamW(p, lr=2e-3, weight_decay=0.1),
    adadelta=lambda p: torch.optim.Adadelta(p, lr=0.5, weight_decay=1e-3),
)


def network(norm):
    layers = [("conv1", nn.Conv2d(3, 6, 3, padding=1))]
    layers += [("bn1", nn.BatchNorm2d(6))] if norm else []
    layers += [("relu1", nn.ReLU()), ("pool", nn.MaxPool2d(2)), ("conv2", nn.Conv2d(6, 8, 3, padding=1))]
    layers += [("bn2", nn.BatchNorm2d(8))] if norm else []
    layers += [("relu2", nn.ReLU()), ("gap", nn.AdaptiveAvgPool2d(2)), ("flatten", nn.Flatten()), ("fc", nn.Linear(32, CLASSES))]
    model = nn.Sequential()
    for name, layer in layers:
        model.add_module(name, layer)
    return model


def batch(step):
    n = FEW if step % 5 == 4 else BATCH
    name = f"batch {step % 4}"
    x = torch.from_numpy(ramp(name, n * int(np.prod(SHAPE)))).view(n, *SHAPE) * 2
    y = torch.from_numpy(((ramp(name + " labels", n) + 0.5) * CLASSES).astype(np.int64))
    return x, y


def losses(optimiser, loss, norm, dtype):
    model = fill(network(norm)).train().to(dtype)
    opt = OPTIMISERS[optimiser](model.parameters())
    out = []
    for step in range(STEPS):
        x, y = batch(step)
        z = model(x.to(dtype))
        if loss == "ce":
            l = nn.functional.cross_entropy(z, y)
        else:
            l = nn.functional.mse_loss(z, nn.functional.one_hot(y, CLASSES).to(dtype))
        opt.zero_grad()
        l.backward()
        opt.step()
        out.append(l.item())
    return out


runs = []
for optimiser in OPTIMISERS:
    for loss in ("ce", "mse"):
        for norm in (False, True):
            runs.append(dict(
                optimiser=optimiser, loss=loss, norm=norm,
                double=losses(optimiser, loss, norm, torch.float64),
                single=[float(f"{v:.7g}") for v in losses(optimiser, loss, norm, torch.float32)],
            ))
json.dump(runs, sys.stdout, separators=(",", ":"))
print()
