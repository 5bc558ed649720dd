# Takes a training step for every line it reads, and prints its milliseconds.
import sys, time, torch, torch.nn as nn
torch.set_num_threads(__import__("os").cpu_count())
torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 128, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(128, 128, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))
x, y = torch.randn(64, 3, 32, 32), torch.randint(0, 10, (64,))
if sys.argv[1] == "channels_last":
    net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
opt = torch.optim.SGD(net.parameters(), lr=.01)
for _ in sys.stdin:
    t = time.perf_counter()
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
    print((time.perf_counter() - t) * 1e3, flush=True)
