"""Second moments of the gradients at every convolution of a network, from which AGOPs follow by the identity WᵀSW.

    agop.py IMAGES              ResNet-20, ten outputs an image of noise
    agop.py IMAGES PROBES       torchvision's ResNet-50 at 224×224, by random combinations of its thousand outputs

It prints the seconds of the loop over images, 50 at a time, or 32.
"""
import sys

import torch, torch.nn as nn

from nets import clock, resnet20, show

images, probes, batch = int(sys.argv[1]), int((sys.argv + ["0"])[2]), 50
net, shape = resnet20().eval(), (3, 32, 32)
if probes:
    import torchvision
    net, shape, batch = torchvision.models.resnet50().eval(), (3, 224, 224), 32
    for m in net.modules():
        if isinstance(m, nn.ReLU):
            m.inplace = False
x = torch.randn(images, *shape)
convs = [m for m in net.modules() if isinstance(m, nn.Conv2d)]
z, S = {}, {c: 0 for c in convs}
for c in convs:
    c.register_forward_hook(lambda m, i, o: z.__setitem__(m, o))
start = clock()
for i in range(0, images, batch):
    f = net(x[i:i + batch])
    passes = probes or f.shape[1]
    for k in range(passes):
        g = (f * torch.randn(f.shape)).sum() if probes else f[:, k].sum()
        for c, g in zip(convs, torch.autograd.grad(g, [z[c] for c in convs], retain_graph=k < passes - 1)):
            d = g.flatten(2)
            S[c] = S[c] + torch.bmm(d, d.transpose(1, 2)).sum(0)
show(seconds=clock() - start)
