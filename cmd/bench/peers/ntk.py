"""The empirical neural tangent kernel of a network with random weights, ten outputs an image.

    ntk.py lenet IMAGES WIDTH       gradients one by one, then their products
    ntk.py resnet20 IMAGES 1        functorch's own way: vmap of jacrev, then products parameter by parameter

It prints the seconds of the gradients and the products. The images are noise.
"""
import sys, time

import torch

from nets import lenet, resnet20, show

name, images, width = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if name == "lenet":
    net, x = lenet(width), torch.rand(images, 1, 28, 28)
    weights = list(net.parameters())
    start = time.perf_counter()
    J = torch.stack([torch.cat([g.flatten() for g in torch.autograd.grad(f, weights, retain_graph=True)])
                     for image in x for f in net(image[None])[0]])
    kernel = J @ J.T
else:
    from functorch import jacrev, make_functional_with_buffers, vmap
    f, weights, buffers = make_functional_with_buffers(resnet20().eval())
    x = torch.randn(images, 3, 32, 32)
    start = time.perf_counter()
    J = vmap(jacrev(lambda w, image: f(w, buffers, image[None])[0]), (None, 0))(weights, x)  # image, output, weight
    kernel = sum(torch.einsum("naf,mbf->namb", j, j) for j in (j.flatten(2) for j in J))
show(seconds=time.perf_counter() - start)
