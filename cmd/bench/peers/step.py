"""Training steps of a network: forward, cross-entropy, backward, SGD with momentum.

    step.py NET BATCH contiguous|channels_last

It takes as many steps as each line that it reads says, and prints their median in milliseconds; at the end its largest
resident size in bytes.
"""
import resource, statistics, sys

import torch, torch.nn as nn

import nets

arch, batch, layout = sys.argv[1], int(sys.argv[2]), sys.argv[3]
net = getattr(nets, arch)()
shape = (1, 28, 28) if arch == "lenet" else (3, 32, 32)
x, y = torch.randn(batch, *shape), torch.randint(0, 10, (batch,))
if layout == "channels_last":
    net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        t = nets.clock()
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
        times.append((nets.clock() - t) * 1e3)
    print(statistics.median(times), flush=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, flush=True)
