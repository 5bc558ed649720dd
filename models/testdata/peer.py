#!/usr/bin/python3
"""Makes peer.json: what PyTorch computes with the networks of this package.

    apt-get install -y python3-torch python3-torchvision
    /usr/bin/python3 models/testdata/peer.py > models/testdata/peer.json

Weights and images are arithmetic on names and places (see ramp), so that the
Go test makes the same ones and no weights need to be stored. For every network:
the names and shapes of its state dict and, for those of RUN, its logits for two
images and the AGOP over all outputs of every convolution and linear layer. What
a name stands for on small images, where that is another network, is called
"NAME small".
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
    def __init__(s, *hidden):
        widths, layers = [784, *hidden], []
        for i, o in zip(widths, hidden):
            layers += [nn.Linear(i, o), nn.ReLU()]
        super().__init__(*layers, nn.Linear(widths[-1], CLASSES))

    def forward(s, x):
        return super().forward(x.flatten(1))


class SimpleNet(nn.Module):
    """cnfa Fig. 8, with the numbering of the authors' code, where dropout follows pooling."""

    def __init__(s):
        super().__init__()
        layers, i = [], 3
        for o in (64, 128, 128, 128, "M", 128, 128, 256, "M", 256, 256, "M", 512, "M", 2048, 256, "M", 256):
            if o == "M":
                layers += [nn.MaxPool2d(2, ceil_mode=True), nn.Identity()]
                continue
            k = 1 if 2048 in (i, o) else 3
            layers += [nn.Conv2d(i, o, k, padding=k // 2), nn.BatchNorm2d(o), nn.ReLU()]
            i = o
        s.features, s.classifier = nn.Sequential(*layers), nn.Linear(256, CLASSES)

    def forward(s, x):
        return s.classifier(F.adaptive_max_pool2d(s.features(x), 1).flatten(1))


class Layers(nn.Module):
    """A network in the manner of cnfa's code: a list called layers that ends in a linear layer."""

    def __init__(s, layers, features):
        super().__init__()
        s.layers = nn.Sequential(*layers, nn.Flatten(), nn.Linear(features, CLASSES, bias=False))

    def forward(s, x):
        return s.layers(x)


def conv(i, q, pad):
    return [nn.Conv2d(i, 64, q, padding=pad, bias=False), nn.ReLU()]


def pooling_cnn(kind, q, shape):
    """cnfa Fig. 9."""
    pool = dict(vec=list, max=lambda: [nn.MaxPool2d(2)], avg=lambda: [nn.AvgPool2d(2)])[kind]
    end = dict(vec=list, max=lambda: [nn.AdaptiveMaxPool2d(1)], avg=lambda: [nn.AdaptiveAvgPool2d(1)])[kind]
    c = lambda i=64: conv(i, q, q // 2)
    layers = [*c(shape[0]), *c(), *pool(), *c(), *pool(), *c(), *end()]
    return lambda: Layers(layers, 64 * (shape[1] * shape[2] if kind == "vec" else 1))


def vanilla_cnn(depth, q, shape):
    """cnfa Fig. 6."""
    layers = sum([conv(64 if i else shape[0], q, 0) for i in range(depth)], [])
    return lambda: Layers(layers, 64 * (shape[1] - depth * (q - 1)) * (shape[2] - depth * (q - 1)))


class LinearCNN(nn.Module):
    """energy, section 4."""

    def __init__(s):
        super().__init__()
        s.conv = nn.Conv2d(3, 64, 3, bias=False)

    def forward(s, x):
        return s.conv(x).mean((1, 2, 3))[:, None]


class SmallVGG(nn.Module):
    def __init__(s, name):
        super().__init__()
        s.features = getattr(torchvision.models, name)(num_classes=CLASSES).features
        s.classifier = nn.Linear(512, CLASSES)

    def forward(s, x):
        return s.classifier(s.features(x).flatten(1))


class SmallStem(torchvision.models.ResNet):
    def __init__(s):
        super().__init__(torchvision.models.resnet.BasicBlock, [2, 2, 2, 2], num_classes=CLASSES)
        s.conv1, s.maxpool = nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.Identity()


def torchvision_net(name):
    return lambda: getattr(torchvision.models, name)(num_classes=CLASSES)


# Input sizes are small where the network allows it: the test runs in pure Go too.
TINY = (3, 16, 13)
NETS = {
    "lenet": (LeNet, (1, 28, 28)),
    "mlp": (lambda: MLP(1024, 1024), (1, 28, 28)),
    "linear": (MLP, (1, 28, 28)),
    "simplenet": (SimpleNet, (3, 20, 12)),
    **{f"cnn-{k}{s}": (pooling_cnn(k, q, TINY), TINY) for k in ("vec", "max", "avg") for q, s in ((3, ""), (5, ":5"))},
    **{f"cnn{d}": (vanilla_cnn(d, 3, TINY), TINY) for d in (1, 2, 3, 4, 5)},
    "cnn2:4": (vanilla_cnn(2, 4, TINY), TINY),
    "linear-cnn": (LinearCNN, TINY),
    "alexnet": (torchvision_net("alexnet"), (3, 80, 72)),
    **{n: (torchvision_net(n), (3, 40, 32)) for n in ("vgg11", "vgg13", "vgg16", "vgg19", "vgg11_bn", "vgg13_bn", "vgg16_bn", "vgg19_bn")},
    **{f"{n} small": ((lambda n: lambda: SmallVGG(n))(n), (3, 40, 32)) for n in ("vgg11", "vgg16_bn")},
    **{n: (torchvision_net(n), (3, 48, 40)) for n in ("resnet18", "resnet34", "resnet50", "resnet101", "resnet152")},
    "resnet18_3x3": (SmallStem, (3, 32, 32)),
    **{f"resnet{d}": ((lambda d: lambda: CifarResnet(d))(d), (3, 32, 32)) for d in (20, 32, 44, 56, 110)},
}
RUN = ("lenet", "mlp", "alexnet", "vgg11", "vgg13_bn", "resnet18", "resnet50", "resnet20", "resnet56",
       "linear", "simplenet", "cnn-vec:5", "cnn-max:5", "cnn-avg:5", "cnn3", "cnn2:4", "linear-cnn", "vgg11 small")


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
    digits = lambda v: json.loads(json.dumps(v), parse_float=lambda f: float("%.8g" % float(f)))
    lines = [f"{json.dumps(name)}: {json.dumps(digits(net))}" for name, net in nets.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
