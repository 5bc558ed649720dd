#!/usr/bin/python3
"""Makes the networks of this folder, and peer.json: what PyTorch computes with them.

    apt-get install -y python3-torch python3-torchvision
    cd models/fromonnx/testdata && /usr/bin/python3 peer.py

Every network is a few ops, exported for one image or for any number, at the opsets at which the form of its ops differs.
peer.json has the outputs for three images, and the gradient of their weighted sum in the images. Images and weights of
the sum are arithmetic on places (see ramp).
"""
import copy, hashlib, json, os, warnings
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F

warnings.filterwarnings("ignore")
torch.manual_seed(0)


def ramp(n, seed):
    i = np.arange(n, dtype=np.uint64)
    x = (i * np.uint64(2654435761) + np.uint64(seed)) % np.uint64(2**32)
    x = (x ^ (x >> np.uint64(15))) * np.uint64(2246822519) % np.uint64(2**32)
    x = x ^ (x >> np.uint64(13))
    return torch.from_numpy((x.astype(np.float64) / 2**32 - 0.5).astype(np.float32))


class Do(nn.Module):
    """A convolution, an op, and a linear layer on the means of the channels or on everything."""

    def __init__(s, f, **parts):
        super().__init__()
        s.conv, s.f = nn.Conv2d(3, 4, 3, padding=1), f
        for k, v in parts.items():
            setattr(s, k, v)

    def forward(s, x):
        return s.f(s, s.conv(x)).flatten(1)


class Heads(nn.Module):
    """nn.MultiheadAttention with a class token and a position embedding."""

    def __init__(s):
        super().__init__()
        s.patch, s.token, s.pos = nn.Conv2d(3, 8, 4, 4), nn.Parameter(torch.randn(1, 1, 8)), nn.Parameter(torch.randn(1, 5, 8))
        s.norm, s.attention, s.head = nn.LayerNorm(8), nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 3)

    def forward(s, x):
        x = s.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([s.token.expand(x.shape[0], -1, -1), x], 1) + s.pos
        y = s.norm(x)
        return s.head((x + s.attention(y, y, y, need_weights=False)[0])[:, 0])


class Copies(nn.Module):
    """A linear layer that tokens read twice and a vector once, copies of a layer, and separate projections of one attention."""

    def __init__(s):
        super().__init__()
        s.patch, s.shared, s.free, s.head = nn.Conv2d(3, 6, 4, 4), nn.Linear(6, 6), nn.Linear(6, 6, bias=False), nn.Linear(6, 3)
        s.copies = nn.ModuleList(copy.deepcopy(nn.Linear(6, 6)) for _ in range(2))
        s.copies[1].load_state_dict(s.copies[0].state_dict())
        s.attention, s.narrow = nn.MultiheadAttention(6, 2, kdim=4, vdim=4, batch_first=True), nn.Linear(6, 4)

    def forward(s, x):
        x = s.patch(x).flatten(2).transpose(1, 2)
        x = x + s.shared(torch.tanh(s.shared(x))) + s.free(torch.tanh(s.free(x)))
        for l in s.copies:
            x = x + torch.tanh(l(x))
        z = s.narrow(x)
        return s.head(torch.tanh(s.shared((x + s.attention(x, z, z, need_weights=False)[0]).mean(1))))


class Sequence(nn.Module):
    """Convolutions of sequences, one of which weighs channels."""

    def __init__(s):
        super().__init__()
        s.wide, s.weigh, s.head = nn.Conv1d(3, 6, 5, 2, padding=3), nn.Conv1d(1, 1, 3, padding=1, bias=False), nn.Linear(4, 3)
        s.groups = nn.Conv1d(6, 4, 3, groups=2, dilation=2)

    def forward(s, x):
        y = torch.tanh(s.wide(x.flatten(2)))
        y = y * torch.sigmoid(s.weigh(y.mean(2, keepdim=True).transpose(1, 2))).transpose(1, 2)
        return s.head(torch.tanh(s.groups(y)).amax(2))


class Enlarged(nn.Module):
    """Sequences that are enlarged, and a product whose units share a bias of one number."""

    def __init__(s):
        super().__init__()
        s.wide, s.back = nn.Conv1d(3, 4, 3, padding=1), nn.ConvTranspose1d(4, 4, 3, 2, padding=1, output_padding=1)
        s.weight, s.bias = nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.randn(1))

    def forward(s, x):
        y = torch.tanh(s.wide(x.flatten(2)))
        y = F.interpolate(y, scale_factor=2, mode="nearest") + F.interpolate(y, scale_factor=2, mode="linear", align_corners=False)
        return torch.tanh(s.back(y)).square().mean(2) @ s.weight + s.bias


class Single(nn.Module):
    """Parameters of one element: a gate, an exponent, a slope, a bias, and weights of one filter."""

    def __init__(s):
        super().__init__()
        s.patch, s.act, s.gate, s.p = nn.Conv2d(3, 6, 4, 4), nn.PReLU(), nn.Parameter(torch.tensor(.5)), nn.Parameter(torch.tensor([3.]))
        s.pool, s.head = nn.Linear(6, 1), nn.Linear(6, 3)

    def forward(s, x):
        x = s.act(s.patch(x)).flatten(2).transpose(1, 2)
        x = (x.abs() + .1).pow(s.p) + s.gate * torch.tanh(s.pool(x)) * x
        return s.head(x.mean(1).abs().pow(1 / s.p))


class Masked(nn.Module):
    """An attention with a mask of truth values, and one with a mask of minus infinity."""

    def __init__(s):
        super().__init__()
        s.patch, s.q, s.k, s.head = nn.Conv2d(3, 6, 4, 4), nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
        s.register_buffer("hidden", torch.triu(torch.ones(4, 4), 1).bool())
        s.register_buffer("added", torch.tril(torch.full((4, 4), -torch.inf), -1))

    def forward(s, x):
        x = s.patch(x).flatten(2).transpose(1, 2)
        a = s.q(x) @ s.k(x).transpose(1, 2)
        return s.head(((a.masked_fill(s.hidden, -torch.inf).softmax(-1) + (a + s.added).softmax(-1)) @ x).mean(1))


class Recurrent(nn.Module):
    """Recurrent networks that read the rows of the images, both ways and in several layers, and their last states."""

    def __init__(s):
        super().__init__()
        s.lstm = nn.LSTM(24, 5, num_layers=2, bidirectional=True, batch_first=True)
        s.gru = nn.GRU(10, 4, bidirectional=True)
        s.rnn = nn.RNN(8, 3, nonlinearity="relu", bias=False)
        s.tanh = nn.RNN(3, 2)
        s.start = nn.Parameter(torch.randn(1, 1, 2))

    def forward(s, x):
        y, (h, c) = s.lstm(x.transpose(1, 2).flatten(2))
        z, g = s.gru(y.transpose(0, 1))
        z, _ = s.rnn(z)
        z, t = s.tanh(z, s.start.expand(-1, x.shape[0], -1))
        return torch.cat([v.transpose(0, 1).flatten(1) for v in (h, c, g, z, t)], 1)


def assigned(s, x):
    """Assigns computed values to slices, and to a tensor of zeros."""
    y, z = x.tanh().clone(), torch.zeros_like(x)
    y[:, :2, ::2] = x[:, 2:, 1::2]
    y[:, 3] = y[:, 0] * 2
    z[:, 1:, :-1] = y[:, :3, 1:]
    return y + z.sin()


class Again(nn.Module):
    """A linear layer that reads vectors first and then the pixels of images."""

    def __init__(s):
        super().__init__()
        s.conv, s.both, s.head = nn.Conv2d(3, 4, 3, 2), nn.Linear(4, 4), nn.Linear(4, 3)

    def forward(s, x):
        x = s.conv(x).tanh()
        return s.head(s.both(x.mean((2, 3))).tanh() + s.both(x.permute(0, 2, 3, 1)).mean((1, 2)))


class Cross(nn.Module):
    """nn.MultiheadAttention whose queries are of other tokens than its keys and values."""

    def __init__(s):
        super().__init__()
        s.patch, s.cross, s.head = nn.Conv2d(3, 8, 4, 4), nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 3)

    def forward(s, x):
        x = s.patch(x).flatten(2).transpose(1, 2)
        return s.head(s.cross(x[:, :2], x, x.tanh() if s.three else x)[0].mean(1))


def cross(three):
    m = Cross()
    m.three = three
    return m


class Computed(nn.Module):
    """Weights that are computed, products of weights, and weights that einsums read in either order."""

    def __init__(s):
        super().__init__()
        s.patch, s.a, s.b, s.fc = nn.Conv2d(3, 6, 4, 4), nn.Parameter(torch.randn(2, 6)), nn.Parameter(torch.randn(6, 2)), nn.Linear(6, 6)
        s.head, s.wide, s.back = nn.utils.weight_norm(nn.Linear(6, 3)), nn.Parameter(torch.randn(6, 7)), nn.Parameter(torch.randn(6, 7))

    def forward(s, x):
        x = s.patch(x).flatten(2).transpose(1, 2)
        x = x + torch.einsum("bte,ce->btc", torch.tanh(torch.einsum("btc,ce->bte", x, s.wide)), s.back)
        return s.head((x + torch.tanh(F.linear(x, s.fc.weight + s.b @ s.a, s.fc.bias))).mean(1))


CASES = {
    "activations": (Do(lambda s, x: F.gelu(x) + F.silu(x) + F.elu(x) + F.leaky_relu(x, .2) + F.softplus(x) + F.relu6(8 * x)
                       + F.hardsigmoid(4 * x) + F.selu(x) + F.softsign(x) + torch.sigmoid(x) + torch.clamp(x, -.1, .2) + torch.abs(x)), (11, 17)),
    "hardswish": (Do(lambda s, x: F.hardswish(4 * x)), (11, 14)),
    "mish": (Do(lambda s, x: F.mish(x)), (11, 17)),
    "prelu": (Do(lambda s, x: s.p(x), p=nn.PReLU(4, .3)), (11, 17)),
    "arithmetic": (Do(lambda s, x: x.exp() / (x * x + 1).sqrt() + (x.abs() + .1).log() - x ** 3 + (x.abs() + 1) ** 1.5
                      + torch.maximum(x, .1 * x) + torch.minimum(x, x * x) + torch.erf(x) + 1 / (2 + x.sin()) * x.cos()), (11, 17)),
    "broadcast": (Do(lambda s, x: x * s.a + s.b - x.mean((2, 3), keepdim=True) / (1 + x[:, :1].abs()), a=nn.Parameter(torch.randn(4, 1, 1)), b=nn.Parameter(torch.randn(8))), (11, 13, 17)),
    "reduce": (Do(lambda s, x: torch.cat([x.mean((2, 3)), x.sum(1).flatten(1), x.amax(2).flatten(1), x.amin(3).flatten(1), x.norm(dim=1).flatten(1)], 1)), (11, 13, 17)),
    "softmax": (Do(lambda s, x: x.softmax(1) + x.softmax(3) + x.log_softmax(2)), (11, 13)),
    "moves": (Do(lambda s, x: torch.cat([x.flip(3)[:, 1:3], x.transpose(2, 3)[:, :, ::2].repeat(1, 1, 2, 1), x[:, [3, 0, 0]]], 1)), (11, 13, 17)),
    "split": (Do(lambda s, x: torch.cat([a * b for a, b in zip(x.chunk(2, 1), x.split([1, 3], 1)[1].split([2, 1], 1)[:1] * 2)], 1)), (11, 13)),
    "pads": (Do(lambda s, x: F.pad(x, (1, 2, 3, 0), mode="reflect").mean((2, 3)) + F.pad(x, (2, 0, 0, 1), mode="replicate").sum((2, 3))
                + F.pad(x, (1, 1, 0, 2), value=.5).sum((2, 3))), (9, 11, 17)),
    "shuffle": (Do(lambda s, x: F.pixel_shuffle(x, 2).flatten(1) + F.pixel_unshuffle(x, 2).flatten(1)), (11, 13)),
    "channels": (Do(lambda s, x: x.view(x.shape[0], 2, 2, 8, 8).transpose(1, 2).reshape(x.shape[0], 4, 8, 8) * s.w, w=nn.Parameter(torch.randn(4, 8, 8))), (11, 17)),
    "pools": (Do(lambda s, x: torch.cat([F.max_pool2d(x, 3, 2, 1).flatten(1), F.max_pool2d(x, 3, 2, ceil_mode=True).flatten(1),
                                        F.avg_pool2d(x, 3, 2, 1).flatten(1), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False).flatten(1),
                                        F.adaptive_avg_pool2d(x, 2).flatten(1), F.adaptive_max_pool2d(x, 1).flatten(1)], 1)), (11, 17)),
    "convs": (Do(lambda s, x: s.b(s.a(x)) + s.c(x), a=nn.Conv2d(4, 8, 3, 2, 1, groups=2), b=nn.ConvTranspose2d(8, 4, 4, 2, 1, groups=4),
                 c=nn.Conv2d(4, 4, 3, padding=2, dilation=2, groups=4)), (11, 17)),
    "norms": (Do(lambda s, x: s.a(x) + s.b(x) + s.c(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2) + s.d(x), a=nn.GroupNorm(2, 4),
                 b=nn.InstanceNorm2d(4, affine=True), c=nn.LayerNorm(4), d=nn.BatchNorm2d(4)), (11, 17)),
    "resize": (Do(lambda s, x: torch.cat([F.interpolate(x, scale_factor=2, mode=m, **k).flatten(1) for m, k in
                                         (("nearest", {}), ("bilinear", dict(align_corners=False)), ("bilinear", dict(align_corners=True)))]
                                        + [F.interpolate(x, size=(5, 3), mode="bilinear", align_corners=False).flatten(1)], 1)), (11, 13, 17)),
    "einsum": (Do(lambda s, x: torch.einsum("nchw,nkhw->nck", x, x * x)), (12, 17)),
    "matmul": (Do(lambda s, x: torch.matmul(x, x.transpose(2, 3)) @ s.m + s.l(x), m=nn.Parameter(torch.randn(8, 8)), l=nn.Linear(8, 8)), (11, 13, 17)),
    "attention": (Heads(), (9, 11, 14, 17)),
    "shared": (nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(2), nn.Linear(36, 8), nn.Tanh(), nn.Flatten(1), nn.Linear(64, 3)), (11, 17)),
}
with torch.random.fork_rng():
    CASES |= {
        "sequence": (Sequence(), (11, 17)),
        "single": (Single(), (11, 17)),
        "masked": (Masked(), (11, 17)),
        "computed": (Computed(), (12, 17)),
        "lrn": (Do(lambda s, x: F.local_response_norm(x, 3, alpha=.5)), (11, 17)),
        "spectral": (nn.Sequential(nn.utils.spectral_norm(nn.Conv2d(3, 4, 3)), nn.Tanh(), nn.Flatten()), (11, 17)),
        "reductions": (Do(lambda s, x: x.logsumexp(1, keepdim=True) + F.normalize(x, p=1) + x[:, :3].prod(1, keepdim=True)
                          + x.prod(1, keepdim=True) + x * x.mean((2, 3), keepdim=True).prod(1, keepdim=True)), (11, 17)),
        "powers": (Do(lambda s, x: 2. ** x + (x.abs() + 1) ** torch.arange(1., 5.).view(4, 1, 1) + F.celu(x, 1.5)), (12, 17)),
        "movedim": (Do(lambda s, x: x.movedim(1, -1).softmax(-1).movedim(-1, 1)), (11, 17)),
        "einsums": (Do(lambda s, x: torch.einsum("bchw->bhwc", x) + torch.einsum("...wh,...vw->...hv", x, x.tanh()).permute(0, 2, 3, 1)
                       + torch.einsum("bchw,bcuv->bcu", x, x * x).unsqueeze(3).transpose(1, 3)
                       + torch.einsum("...c,cd", x.permute(0, 2, 3, 1), s.m), m=nn.Parameter(torch.randn(4, 4))), (12, 17)),
    }
    # By the default export, which folds transposes of weights and stores equal tensors once.
    DEFAULT = {
        "copies": (Copies(), (14,)),
    }
    CASES |= {
        "truths": (Do(lambda s, x: torch.where(x > .1, (x.clamp(min=.1)).log(), x * x) + x * ((x >= -.2) & (x < .3) | ~(x <= 1)) + x * F.relu(x).bool()
                      + x.masked_fill(x != x.amax(1, keepdim=True), 0.) + torch.sign(x) * (x.abs() + .1).sqrt() + F.hardshrink(x, .2) + F.softshrink(x, .1)), (11, 17)),
        "cubic": (Do(lambda s, x: torch.cat([F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False).flatten(1),
                                            F.interpolate(x, size=(5, 11), mode="bicubic", align_corners=True).flatten(1)], 1)), (11, 17)),
        "enlarged": (Enlarged(), (11, 17)),
        "fractions": (Do(lambda s, x: torch.cat([F.interpolate(x.repeat(1, 1, 4, 4)[:, :, :30, :20], scale_factor=(f, 1.3), mode=m).mean(i) for f, m, i in
                                                 ((.7, "nearest", 2), (.7, "bilinear", 3), (.6, "nearest", 3), (4 / 3, "bicubic", 2))], 2)), (11, 17)),
        "cross": (cross(False), (13, 17)),
        "cross3": (cross(True), (17,)),
    }
    DEFAULT |= {
        "again": (Again(), (14,)),
    }
    CASES |= {
        "dilated": (Do(lambda s, x: torch.cat([F.max_pool2d(x, 3, 2, 1, dilation=2).flatten(1), F.max_pool2d(x.relu(), (2, 3), 2, dilation=(3, 1), ceil_mode=True).flatten(1),
                                              F.max_pool2d(x, 2, 3, 1, dilation=3, ceil_mode=True).flatten(1), F.max_pool1d(x.flatten(2), 3, 2, 1, dilation=4).flatten(1)], 1)), (11, 17)),
        "assigned": (Do(assigned), (11, 17)),
        "recurrent": (Recurrent(), (11, 17)),
        "cumsum": (Do(lambda s, x: x.cumsum(2) * x.softmax(1).cumsum(-1) + x.flip(1).cumsum(1)), (11, 17)),
        "triangle": (Do(lambda s, x: x.tril(1).exp() + x.triu(-2).tanh() + x.tril()), (14, 17)),
    }
    DEFAULT |= {
        "folded": (Recurrent(), (14,)),
    }

KEEP = dict(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
out = {}
for name, (model, opsets) in (CASES | DEFAULT).items():
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.running_mean.uniform_(-.2, .2), m.running_var.uniform_(.5, 1.5)
    x = (2 * ramp(3 * 3 * 8 * 8, 1)).view(3, 3, 8, 8).requires_grad_()
    y = model(x)
    y = y.flatten(1)
    g, = torch.autograd.grad((y * ramp(y.numel(), 2).view_as(y)).sum(), x)
    out[name] = dict(opsets=opsets, outputs=[round(float(v), 6) for v in y.detach().flatten()], gradient=[round(float(v), 6) for v in g.flatten()])
    if name not in DEFAULT and name not in ("computed", "enlarged"):  # whose matrices are held as (unit, feature)
        out[name]["shapes"] = {k: list(v.shape) for k, v in model.state_dict().items() if v.is_floating_point()}
    for o in opsets:
        for kind, kw in (("any", dict(dynamic_axes={"x": {0: "n"}})), ("one", {})):
            if kind == "one" and o != opsets[-1]:
                continue
            torch.onnx.export(model, x[:1].detach(), f"{name}-{o}-{kind}.onnx", opset_version=o, input_names=["x"], output_names=["y"],
                              **({} if name in DEFAULT else KEEP), **kw)
json.dump(out, open("peer.json", "w"), separators=(",", ":"))
