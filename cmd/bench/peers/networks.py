#!/usr/bin/python3
"""The ansatz of a torchvision network with random weights in PyTorch, for cmd/bench.

    networks.py NAME DIR --prepare    writes DIR/NAME.onnx and four images of 224x224 pixels to DIR/images
    networks.py NAME DIR [--nulls]    prints the seconds of the gradients, of the similarities, and of their nulls

The similarities are those of WᵀW and WᵀSW, with S the second moment of the gradients at the layer's output: no matrix of
the size of a patch is made where the filters are fewer. The nulls are as ansatz verify draws them: 50 rotations of S a
layer, or 10 of layers with at least 640 filters and patch elements.
"""
import argparse, glob, json, os, time
import numpy as np, torch, torch.nn as nn, torchvision
from PIL import Image

a = argparse.ArgumentParser(); a.add_argument("name"); a.add_argument("dir"); a.add_argument("--prepare", action="store_true")
a.add_argument("--nulls", action="store_true")
a = a.parse_args()
torch.manual_seed(1)
net = getattr(torchvision.models, a.name)(num_classes=10).eval()
for m in net.modules():
    if hasattr(m, "inplace"): m.inplace = False
    if isinstance(m, nn.Dropout): m.p = 0.0
    if isinstance(m, nn.Linear) and not m.weight.any(): nn.init.normal_(m.weight, 0, 0.02)  # the ViT's head starts at 0
if a.prepare:
    os.makedirs(a.dir + "/images", exist_ok=True)
    rng = np.random.default_rng(1)
    for i in range(4):
        coarse = Image.fromarray(rng.integers(0, 256, (14, 14, 3), np.uint8))
        coarse.resize((224, 224), Image.BILINEAR).save(f"{a.dir}/images/{i}.png")
    torch.onnx.export(net, torch.randn(1, 3, 224, 224), f"{a.dir}/{a.name}.onnx", opset_version=17,
                      training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False,
                      input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "n"}})
    raise SystemExit

x = np.stack([np.asarray(Image.open(f), np.float32) / 255 for f in sorted(glob.glob(a.dir + "/images/*.png"))])
x = (torch.tensor(x).permute(0, 3, 1, 2) - torch.tensor([0.485, 0.456, 0.406])[:, None, None]) / torch.tensor(
    [0.229, 0.224, 0.225])[:, None, None]
layers = {n: m for n, m in net.named_modules() if isinstance(m, (nn.Conv2d, nn.Linear))}
z, S = {}, {}
for n, m in layers.items():
    m.register_forward_hook(lambda m, i, o, n=n: z.__setitem__(n, o))

start = time.perf_counter()
f = net(x)
for k in range(f.shape[1]):
    for n, g in zip(z, torch.autograd.grad(f[:, k].sum(), list(z.values()), retain_graph=k < f.shape[1] - 1)):
        d = g.permute(1, 0, 2, 3).flatten(1) if isinstance(layers[n], nn.Conv2d) else g.reshape(-1, g.shape[-1]).T
        d = d.reshape(getattr(layers[n], "groups", 1), -1, d.shape[-1])
        S[n] = S.get(n, 0) + d @ d.transpose(1, 2)
gradients, start = time.perf_counter() - start, time.perf_counter()


def measures(W, S):
    """Pearson's similarity of WᵀW and WᵀSW, blocks (group, filter, element), by products of the size of the filters."""
    G, u, d = W @ W.transpose(1, 2), W.sum(2), W.shape[2]
    GS = G @ S
    entries = W.shape[0] * d * d
    uSu, uu = torch.einsum("gi,gij,gj->", u, S, u), (u * u).sum()
    inner = (GS * G.transpose(1, 2)).sum() - uSu * uu / entries
    mm, aa = (G * G).sum() - uu * uu / entries, (GS * GS.transpose(1, 2)).sum() - uSu * uSu / entries
    return float(inner / (mm * aa).sqrt())


blocks = {}
for n in z:
    W = layers[n].weight.data.double().flatten(1)
    groups = getattr(layers[n], "groups", 1)
    blocks[n] = W.reshape(groups, W.shape[0] // groups, -1), S[n].double() / len(x)
    measures(*blocks[n])
similarities, start = time.perf_counter() - start, time.perf_counter()

for n, (W, s) in blocks.items() if a.nulls else []:
    c = W.shape[1]
    for _ in range(10 if min(W.shape[1:]) >= 640 else 50):
        if c == 1:
            q = s[torch.randperm(len(s))]
        else:
            Q, R = torch.linalg.qr(torch.randn(len(s), c, c, dtype=s.dtype))
            Q = Q * R.diagonal(dim1=1, dim2=2).sign()[:, None]
            q = Q @ s @ Q.transpose(1, 2)
        measures(W, q)
print(json.dumps({"gradients": gradients, "similarities": similarities, "nulls": time.perf_counter() - start}))
