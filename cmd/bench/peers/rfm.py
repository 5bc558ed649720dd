"""A recursive feature machine with the Laplace kernel of bandwidth 10 and ridge 1e-3, on noise in the place of digits.

    rfm.py TRAIN TEST ITERATIONS    prints the seconds of all regressions, AGOPs and predictions
"""
import sys

import torch

from nets import clock, show

n, tests, iterations = (int(v) for v in sys.argv[1:])
d, classes, bandwidth, ridge = 784, 10, 10.0, 1e-3
x, z = torch.rand(n, d), torch.rand(tests, d)
y = torch.eye(classes)[torch.randint(0, classes, (n,))]


def distances(p, q, M):
    pM = p @ M
    squares = (pM * p).sum(1)[:, None] + ((q @ M) * q).sum(1)[None] - 2 * pM @ q.T
    return squares.clamp_(min=0).sqrt_()


M = torch.eye(d)
start = clock()
for t in range(iterations + 1):
    D = distances(x, x, M)
    K = (-D / bandwidth).exp()
    alpha = torch.linalg.solve(K + ridge * torch.eye(n), y)
    predictions = (-distances(z, x, M) / bandwidth).exp() @ alpha
    if t == iterations:
        break
    K.div_(D.clamp(min=1e-10)).fill_diagonal_(0)
    xM, N = x @ M, torch.zeros(d, d)
    for c in range(classes):
        A = K * alpha[:, c]
        g = (A @ xM - A.sum(1, keepdim=True) * xM) / bandwidth
        N += g.T @ g
    M = N / n
show(seconds=clock() - start)
