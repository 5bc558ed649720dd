#!/usr/bin/python3
"""Makes peer.json: what PyTorch computes with torchvision's networks that package zoo knows.

    apt-get install -y python3-torch python3-torchvision
    /usr/bin/python3 models/zoo/testdata/peer.py > models/zoo/testdata/peer.json

For every network: the number of parameters and a digest of the sorted names and shapes of its state dict. For those of
RUN also the logits of two images and the trace of the AGOP, over all outputs, of every convolution and linear layer.
Weights and images are arithmetic on names and places, as in models/testdata/peer.py.
"""
import hashlib, json, os, sys, warnings
import torch, torch.nn as nn, torchvision

warnings.filterwarnings("ignore")
here = os.path.dirname(os.path.abspath(__file__))
source = open(here + "/../../testdata/peer.py").read().split("\nclass CifarBlock")[0]
exec(source)  # ramp and fill

NAMES = """densenet121 densenet161 densenet169 densenet201 googlenet squeezenet1_0 squeezenet1_1 mobilenet_v2 mobilenet_v3_large
mobilenet_v3_small efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3 efficientnet_b4 efficientnet_b5 efficientnet_b6
efficientnet_b7 resnext50_32x4d resnext101_32x8d resnext101_64x4d wide_resnet50_2 wide_resnet101_2 convnext_tiny convnext_small
convnext_base convnext_large vit_b_16 vit_b_32 vit_l_16 vit_l_32 vit_h_14""".split()
RUN = dict(densenet121=64, googlenet=64, squeezenet1_0=64, squeezenet1_1=64, mobilenet_v2=64, mobilenet_v3_small=64,
           mobilenet_v3_large=64, efficientnet_b0=64, resnext50_32x4d=64, wide_resnet50_2=64, convnext_tiny=64, vit_b_32=64)


def build(name, size):
    kw = dict(num_classes=10)
    if name.startswith("vit"):
        kw["image_size"] = size
    if name == "googlenet":
        kw.update(aux_logits=False, init_weights=False)
    model = getattr(torchvision.models, name)(**kw)
    for m in model.modules():
        if hasattr(m, "inplace"):
            m.inplace = False
    return model


def run(name, size):
    model = fill(build(name, size))
    x = torch.from_numpy(ramp("images", 2 * 3 * size * size)).view(2, 3, size, size) * 2
    layers = [(n, m) for n, m in model.named_modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
    z = {}
    for n, m in layers:
        m.register_forward_hook(lambda m, i, o, n=n: z.__setitem__(n, o))
    logits = model(x)
    used = [n for n, _ in layers if n in z]
    traces = dict.fromkeys(used, 0.0)
    for k in range(10):
        for n, g in zip(used, torch.autograd.grad(logits[:, k].sum(), [z[n] for n in used], retain_graph=True)):
            m = dict(layers)[n]
            d = (g.permute(1, 0, 2, 3).flatten(1) if g.dim() == 4 and isinstance(m, nn.Conv2d) else g.reshape(-1, g.shape[-1]).T).double()
            groups = getattr(m, "groups", 1)
            w = m.weight.data.double().flatten(1).view(groups, -1, m.weight[0].numel())
            traces[n] += float((w.transpose(1, 2) @ d.view(groups, -1, d.shape[1])).pow(2).sum() / 2)
    return dict(logits=[float(v) for v in logits.detach().flatten()], traces=traces)


out = {}
for name in NAMES:
    size = RUN.get(name, 224)
    model = build(name, size)
    lines = sorted(f"{k} {list(v.shape)}" for k, v in model.state_dict().items() if not k.endswith("num_batches_tracked"))
    out[name] = dict(size=size, parameters=sum(p.numel() for p in model.parameters()),
                     state_dict=hashlib.sha256("\n".join(lines).encode()).hexdigest())
    if name in RUN:
        out[name].update(run(name, size))
    print(name, file=sys.stderr)
json.dump(out, sys.stdout, separators=(",", ":"))
print()
