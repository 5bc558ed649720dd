#!/usr/bin/python3
"""Makes peer.json: what PyTorch computes with the networks of this package.

    apt-get install -y python3-torch python3-torchvision
    /usr/bin/python3 models/testdata/peer.py > models/testdata/peer.json

Weights and images are arithmetic on names and places (see ramp), so that the
Go test makes the same ones and no weights need to be stored. For every network:
the names and shapes of its state dict, its logits for two images and, for every
convolution and linear layer, the AGOP over all outputs.
"""
import hashlib, json, sys, warnings
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F, torchvision

warnings.filterwarnings("ignore")
CLASSES = 10


def fnv(name):
    h = 2166136261
    for b in name.encode():
        h = (h ^ b) * 16777619 % 2**32
    return h


def ramp(name, n):
    """Numbers between -1/2 and 1/2 that look random, a function of name and place."""
    i = np.arange(n, dtype=np.uint64)
    x = (i * np.uint64(2654435761) + np.uint64(fnv(name))) % np.uint64(2**32)
    x = (x ^ (x >> np.uint64(15))) * np.uint64(2246822519) % np.uint64(2**32)
    x = x ^ (x >> np.uint64(13))
    return (x.astype(np.float64) / 2**32 - 0.5).astype(np.float32)


def fill(model):
    for name, t in model.state_dict().items():
        if t.dtype != torch.float32:
            continue
        r = torch.from_numpy(ramp(name, t.numel())).view(t.shape)
        if t.dim() > 1:
            r = r * np.float32((24.0 / (t.numel() // t.shape[0])) ** 0.5)
        elif name.endswith("running_var"):
            r = 1 + r
        elif name.endswith("bias") or name.endswith("running_mean"):
            r = r * np.float32(0.5)
        else:
            r = 1 + r * np.float32(0.5)
        t.copy_(r)
    return model.eval()


class CifarBlock(nn.Module):
    def __init__(s, i, o, st):
        super().__init__()
        s.i, s.o, s.st = i, o, st
        s.conv1, s.bn1 = nn.Conv2d(i, o, 3, st, 1, bias=False), nn.BatchNorm2d(o)
        s.conv2, s.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)

    def forward(s, x):
        h = s.bn2(s.conv2(F.relu(s.bn1(s.conv1(x)))))
        if s.st != 1:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, s.o // 4, s.o // 4))
        return F.relu(h + x)


class CifarResnet(nn.Module):
    def __init__(s, depth):
        super().__init__()
        n = (depth - 2) // 6
        group = lambda i, o, st: nn.Sequential(*[CifarBlock(i if k == 0 else o, o, st if k == 0 else 1) for k in range(n)])
        s.conv1, s.bn1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16)
        s.layer1, s.layer2, s.layer3 = group(16, 16, 1), group(16, 32, 2), group(32, 64, 2)
        s.linear = nn.Linear(64, CLASSES)

    def forward(s, x):
        return s.linear(s.layer3(s.layer2(s.layer1(F.relu(s.bn1(s.conv1(x)))))).mean((2, 3)))


class LeNet(nn.Module):
    def __init__(s):
        super().__init__()
        s.conv1, s.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        s.fc1, s.fc2, s.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, CLASSES)

    def forward(s, x):
        x = F.max_pool2d(F.relu(s.conv2(F.max_pool2d(F.relu(s.conv1(x)), 2))), 2).flatten(1)
        return s.fc3(F.relu(s.fc2(F.relu(s.fc1(x)))))


class MLP(nn.Sequential):
    def __init__(s):
        super().__init__(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, CLASSES))

    def forward(s, x):
        return super().forward(x.flatten(1))


def torchvision_net(name):
    return lambda: getattr(torchvision.models, name)(num_classes=CLASSES)


# Input sizes are small where the network allows it: the test runs in pure Go too.
NETS = {
    "lenet": (LeNet, (1, 28, 28)),
    "mlp": (MLP, (1, 28, 28)),
    "alexnet": (torchvision_net("alexnet"), (3, 80, 72)),
    **{n: (torchvision_net(n), (3, 40, 32)) for n in ("vgg11", "vgg13", "vgg16", "vgg19", "vgg11_bn", "vgg13_bn", "vgg16_bn", "vgg19_bn")},
    **{n: (torchvision_net(n), (3, 48, 40)) for n in ("resnet18", "resnet34", "resnet50", "resnet101", "resnet152")},
    **{f"resnet{d}": ((lambda d: lambda: CifarResnet(d))(d), (3, 32, 32)) for d in (20, 32, 44, 56, 110)},
}
RUN = ("lenet", "mlp", "alexnet", "vgg11", "vgg13_bn", "resnet18", "resnet50", "resnet20", "resnet56")


def agop(model, x):
    layers = [(n, m) for n, m in model.named_modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
    for m in model.modules():
        if isinstance(m, nn.ReLU):
            m.inplace = False  # or what a hook has seen becomes the activation
    out = {}
    hooks = [m.register_forward_hook(lambda mod, i, o, n=n: out.__setitem__(n, o)) for n, m in layers]
    f = model(x.requires_grad_(True))
    for h in hooks:
        h.remove()
    S = {n: 0 for n, _ in layers}
    for k in range(f.shape[1]):
        for (n, _), g in zip(layers, torch.autograd.grad(f[:, k].sum(), [out[n] for n, _ in layers], retain_graph=True)):
            d = (g.flatten(2).transpose(1, 2).flatten(0, 1) if g.dim() == 4 else g).double()
            S[n] = S[n] + d.T @ d
    result = []
    for n, m in layers:
        w = m.weight.detach().flatten(1).double()
        g = w @ w.T
        s = S[n] / len(x)
        result.append(dict(layer=n, trace=float(torch.trace(g @ s)), norm=float(torch.trace(g @ s @ g @ s).sqrt())))
    return f.detach().flatten().tolist(), result


def main():
    torch.set_num_threads(2)
    nets = {}
    for name, (make, shape) in NETS.items():
        model = make()
        lines = [f"{k} {list(v.shape)}" for k, v in model.state_dict().items() if not k.endswith("num_batches_tracked")]
        net = dict(
            input=shape,
            parameters=sum(p.numel() for p in model.parameters()),
            state_dict=hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        )
        if name in RUN:
            fill(model)
            x = torch.from_numpy(ramp("images", 2 * int(np.prod(shape)))).view(2, *shape) * 2
            net["logits"], net["layers"] = agop(model, x)
        nets[name] = net
        print(name, file=sys.stderr)
    json.dump(nets, sys.stdout, indent=1)


main()
