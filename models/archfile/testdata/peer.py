#!/usr/bin/python3
"""Makes peer.json: the logits that PyTorch computes with the networks of images.toml and tokens.toml.

    apt-get install -y python3-torch
    cd models/archfile/testdata && ./peer.py > peer.json
"""
import json, sys, os
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata"))
from peer import ramp


class Images(nn.Module):
    def __init__(s):
        super().__init__()
        s.conv, s.gn = nn.Conv2d(3, 8, (3, 2)), nn.GroupNorm(4, 8)
        s.up = nn.ConvTranspose2d(8, 6, 3, 2, 1, (1, 0), groups=2)
        s.add_module("in", nn.InstanceNorm2d(6, affine=True))
        s.ln, s.factor = nn.LayerNorm(6), nn.Parameter(torch.ones(6, 1, 1))
        s.dw, s.fc = nn.Conv2d(6, 12, 3, groups=6), nn.Linear(48, 10)

    def forward(s, x):
        x = s.gn(s.conv(F.pad(x, (1, 1, 2, 2), mode="reflect")))
        x = F.mish(getattr(s, "in")(s.up(F.leaky_relu(x, 0.2))))
        x = F.interpolate(F.adaptive_max_pool2d(x, (7, 5)), scale_factor=(2, 3), mode="bilinear")
        x = F.pad(x, (1, 1, 1, 1), mode="replicate")
        x = F.elu(x, 0.5) + F.softplus(x) + F.gelu(x, approximate="tanh") + F.hardsigmoid(x)
        x = s.factor * s.ln(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        x = F.pad(F.interpolate(s.dw(x), scale_factor=2, mode="nearest"), (1, 1, 0, 0))
        return s.fc(F.adaptive_max_pool2d(x, 2).flatten(1))


class Tokens(nn.Module):
    def __init__(s):
        super().__init__()
        s.patch = nn.Conv2d(3, 16, 4, 4)
        s.cls, s.pos = nn.Parameter(torch.zeros(1, 1, 16)), nn.Parameter(torch.zeros(1, 10, 16))
        s.ln, s.attn = nn.LayerNorm(16, 1e-6), nn.MultiheadAttention(16, 4, batch_first=True)
        s.up, s.fc = nn.Linear(16, 24), nn.Linear(48, 10)

    def forward(s, x):
        x = s.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([s.cls.expand(len(x), -1, -1), x], 1) + s.pos
        y = s.ln(x)
        x = F.gelu(s.up(x + s.attn(y, y, y)[0]))
        return s.fc(torch.cat([x[:, 0], x.mean(1)], 1))


@torch.no_grad()
def run(model, rows, columns):
    model.eval()
    for name, t in model.state_dict().items():
        t.copy_(torch.from_numpy(ramp(name, t.numel())).view(t.shape))
    x = torch.from_numpy(ramp("images", 2 * 3 * rows * columns)).view(2, rows, columns, 3).permute(0, 3, 1, 2)
    return {"logits": model(x).flatten().tolist(), "shapes": {k: list(v.shape) for k, v in model.state_dict().items()}}


if __name__ == "__main__":
    json.dump({"images": run(Images(), 13, 11), "tokens": run(Tokens(), 12, 12)}, sys.stdout, indent=1)
    print()
