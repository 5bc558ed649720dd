#!/usr/bin/python3
"""Makes the networks of this folder, and peer.json: what PyTorch computes with them for two images.

    apt-get install -y python3-torch
    cd models/totoml/testdata && /usr/bin/python3 peer.py

Every network is exported with its modules kept, at opset 11 (-11) and 17 (-17), and as exporters do it by default, for one
image (-folded): batch norms are then in the convolutions before them, and many weights have no names.
"""
import json, os, warnings
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F

warnings.filterwarnings("ignore")
torch.manual_seed(0)


def ramp(name, n):
    """The numbers of Ramp in internal/peer."""
    h = 2166136261
    for b in name.encode():
        h = (h ^ b) * 16777619 % 2**32
    x = (np.arange(n, dtype=np.uint64) * np.uint64(2654435761) + np.uint64(h)) % np.uint64(2**32)
    x = (x ^ (x >> np.uint64(15))) * np.uint64(2246822519) % np.uint64(2**32)
    x = x ^ (x >> np.uint64(13))
    return torch.from_numpy((x.astype(np.float64) / 2**32 - 0.5).astype(np.float32))


class Net(nn.Module):
    def __init__(s, forward, **parts):
        super().__init__()
        s.do = forward
        for k, v in parts.items():
            setattr(s, k, v)

    def forward(s, x):
        return s.do(s, x)


def conv(a, b, k=3, stride=1, **kw):
    return nn.Conv2d(a, b, k, stride, padding=k // 2, **kw)


def resnet(s, x):
    x = F.relu(s.bn(s.stem(x)))
    y = s.bn1(s.conv1(x))
    x = F.relu(y + x)
    y = s.conv2(x)
    x = F.relu(y + F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, 2, 2)))
    y = s.conv3(x)
    x = F.relu(y + s.down(x))
    x = x + F.relu(s.conv4(x))
    return s.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def dense(s, x):
    all = [s.stem(x)]
    for l in s.layers:
        all.append(l(torch.cat(all, 1)))
    x = F.avg_pool2d(torch.cat(all, 1), 2)
    b = s.b(x)
    x = torch.cat([s.a(x), torch.cat([s.b1(b), s.b2(b)], 1), F.max_pool2d(x, 3, 1, 1)], 1)
    return F.relu(s.last(x)).mean((2, 3))


def mobile(s, x):
    x = F.relu6(s.dw(s.stem(x)))
    x = x * torch.sigmoid(s.up(F.silu(s.down(x.mean((2, 3))))))[:, :, None, None]
    x = F.hardswish(x)
    x = x * F.hardsigmoid(s.se2(F.relu(s.se1(F.adaptive_avg_pool2d(x, 1)))))
    return s.fc(s.drop(F.max_pool2d(x, 3, 2, 1, ceil_mode=True).flatten(1)))


def activations(s, x):
    x = F.gelu(s.c(x))
    x = F.gelu(x, approximate="tanh")
    x = .5 * x * (1 + torch.erf(x / 2**.5))
    x = F.mish(F.silu(x))
    x = F.hardswish(F.softplus(x))
    x = F.elu(F.leaky_relu(torch.tanh(x), .2), .7)
    x = x * F.relu6(x + 3) / 6
    x = F.relu6(x + 3) / 6
    return F.log_softmax(s.fc(x.amax((2, 3))), 1)


def norms(s, x):
    x = s.gn(s.c(x))
    x = s.inn(x)
    y = s.ln(s.dw(x).permute(0, 2, 3, 1))
    y = s.b(F.gelu(s.a(y))).permute(0, 3, 1, 2)
    x = s.layer_scale * y + x
    return s.out(s.bn1(s.fc(x.flatten(1))))


def unet(s, x):
    a = F.relu(s.d1(x))
    b = F.relu(s.d2(a))
    c = F.relu(s.d3(F.pad(b, (1, 1, 1, 1), mode="reflect")))
    b = F.relu(s.c2(torch.cat([b, s.u2(c)], 1)))
    a = F.relu(s.c1(torch.cat([a, F.interpolate(b, scale_factor=2, mode="bilinear")], 1)))
    return s.c0(a).mean((2, 3))


def tokens(s, x):
    x = s.patch(x).flatten(2).transpose(1, 2) + s.pos
    n, t, d = x.shape
    for b in s.blocks:
        y = b["n"](x)
        q, k, v = [b[i](y).view(n, t, 2, d // 2).transpose(1, 2) for i in ("query", "key", "value")]
        a = torch.softmax(q @ k.transpose(2, 3) / (d // 2) ** .5, -1) @ v
        x = x + b["out"](a.transpose(1, 2).reshape(n, t, d))
    return s.head(s.norm(x).mean(1))


def encoder(s, x):
    x = s.patch(x).flatten(2).transpose(1, 2)
    x = torch.cat([s.token.expand(x.shape[0], -1, -1), x], 1)
    x = s.first(x)
    return s.head(s.second(x.transpose(0, 1))[0])


def mlp(s, x):
    return s.c(torch.tanh(s.b(F.relu(s.a(x.flatten(1))))))


def crossed(s, x):
    a = s.a(x)
    b = s.b(a)
    return s.fc(((s.c(b) + a) * b).mean((2, 3)) + b.mean((2, 3)))


def block():
    return nn.ModuleDict(dict(n=nn.LayerNorm(8), query=nn.Linear(8, 8), key=nn.Linear(8, 8), value=nn.Linear(8, 8), out=nn.Linear(8, 8)))


CASES = {
    "resnet": Net(resnet, stem=conv(3, 4), bn=nn.BatchNorm2d(4), conv1=conv(4, 4), bn1=nn.BatchNorm2d(4), conv2=conv(4, 8, stride=2),
                  conv3=conv(8, 6, stride=2), down=nn.Sequential(conv(8, 6, 1, 2, bias=False), nn.BatchNorm2d(6)), conv4=conv(6, 6),
                  fc=nn.Linear(6, 5)),
    "dense": Net(dense, stem=conv(3, 4), layers=nn.ModuleList([nn.Sequential(nn.BatchNorm2d(4 + 2 * i), nn.ReLU(), conv(4 + 2 * i, 2)) for i in range(3)]),
                 a=conv(10, 3, 1), b=conv(10, 4, 1), b1=conv(4, 2), b2=conv(4, 2), last=conv(17, 5, 1)),
    "mobile": Net(mobile, stem=conv(3, 8, stride=2, bias=False), dw=conv(8, 8, groups=8), down=nn.Linear(8, 4), up=nn.Linear(4, 8), se1=conv(8, 2, 1),
                  se2=conv(2, 8, 1), drop=nn.Dropout(.2), fc=nn.Linear(288, 5)),
    "activations": Net(activations, c=conv(3, 6, groups=3), fc=nn.Linear(6, 4)),
    "norms": Net(norms, c=conv(3, 6, stride=4), gn=nn.GroupNorm(3, 6), inn=nn.InstanceNorm2d(6, affine=True), dw=conv(6, 6, groups=6), ln=nn.LayerNorm(6, eps=1e-6),
                 a=nn.Linear(6, 12), b=nn.Linear(12, 6), layer_scale=nn.Parameter(1e-6 * torch.ones(6, 1, 1)), fc=nn.Linear(150, 8, bias=False),
                 bn1=nn.BatchNorm1d(8), out=nn.Linear(8, 4)),
    "unet": Net(unet, d1=conv(3, 4), d2=conv(4, 6, stride=2), d3=nn.Conv2d(6, 8, 3, 2), u2=nn.ConvTranspose2d(8, 6, 2, 2), c2=conv(12, 6), c1=conv(10, 4),
                c0=conv(4, 3, 1)),
    "tokens": Net(tokens, patch=nn.Conv2d(3, 8, 5, 5), pos=nn.Parameter(torch.randn(1, 16, 8)), blocks=nn.ModuleList([block(), block()]), norm=nn.LayerNorm(8),
                  head=nn.Linear(8, 4)),
    "encoder": Net(encoder, patch=nn.Conv2d(3, 8, 5, 5), token=nn.Parameter(torch.randn(1, 1, 8)),
                   first=nn.TransformerEncoderLayer(8, 2, 12, batch_first=True, activation="gelu", norm_first=True),
                   second=nn.TransformerEncoderLayer(8, 4, 12), head=nn.Linear(8, 4)),
    "mlp": Net(mlp, a=nn.Linear(1200, 6), b=nn.Linear(6, 6, bias=False), c=nn.Linear(6, 4)),
    # These are no trees of layers.
    "crossed": Net(crossed, a=conv(3, 3), b=conv(3, 3), c=conv(3, 3), fc=nn.Linear(3, 4)),
    "shared": Net(lambda s, x: s.fc(F.relu(s.c(F.relu(s.c(x)))).mean((2, 3))), c=conv(3, 3), fc=nn.Linear(3, 4)),
    "shuffled": Net(lambda s, x: s.fc(torch.cat([s.c(s.stem(x)[:, :3]), s.stem(x)[:, 3:]], 1).mean((2, 3))), stem=conv(3, 6), c=conv(3, 3), fc=nn.Linear(6, 4)),
    "slopes": Net(lambda s, x: s.fc(s.p(s.c(x)).mean((2, 3))), c=conv(3, 3), p=nn.PReLU(3), fc=nn.Linear(3, 4)),
}

images = ramp("images", 2 * 3 * 20 * 20).reshape(2, 3, 20, 20)
out = {}
for name, m in CASES.items():
    for q in m.modules():
        if isinstance(q, (nn.BatchNorm2d, nn.BatchNorm1d)):
            nn.init.uniform_(q.running_mean, -.3, .3)
            nn.init.uniform_(q.running_var, .5, 2)
        if isinstance(q, (nn.BatchNorm2d, nn.BatchNorm1d, nn.GroupNorm, nn.LayerNorm)):
            nn.init.uniform_(q.weight, .5, 1.5)
            nn.init.uniform_(q.bias, -.5, .5)
    m.eval()
    with torch.no_grad():
        out[name] = m(images).flatten().tolist()
    kept = dict(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False, dynamic_axes={"x": {0: "n"}})
    for suffix, opset, how in (("11", 11, kept), ("17", 17, kept), ("folded", 17, {})):
        if name == "encoder" and not how:
            continue  # PyTorch 1.13 refuses
        with torch.no_grad() if not how else torch.enable_grad():
            torch.onnx.export(m, images[:1], f"{name}-{suffix}.onnx", opset_version=opset, input_names=["x"], output_names=["y"], **how)
json.dump(out, open("peer.json", "w"), indent=0)
