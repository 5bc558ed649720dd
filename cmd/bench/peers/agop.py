"""Second moments of the gradients at every convolution of a ResNet-20, from which AGOPs follow by the identity WᵀSW.

    agop.py IMAGES    prints the seconds of the loop over images of noise, ten outputs each, 50 at a time
"""
import sys, time

import torch, torch.nn as nn

from nets import resnet20, show

images, batch = int(sys.argv[1]), 50
net = resnet20().eval()
x = torch.randn(images, 3, 32, 32)
convs = [m for m in net.modules() if isinstance(m, nn.Conv2d)]
z, S = {}, {c: 0 for c in convs}
for c in convs:
    c.register_forward_hook(lambda m, i, o: z.__setitem__(m, o))
start = time.perf_counter()
for i in range(0, images, batch):
    f = net(x[i:i + batch])
    for k in range(10):
        for c, g in zip(convs, torch.autograd.grad(f[:, k].sum(), [z[c] for c in convs], retain_graph=k < 9)):
            d = g.flatten(2)
            S[c] = S[c] + torch.bmm(d, d.transpose(1, 2)).sum(0)
show(seconds=time.perf_counter() - start)
