# Takes as many training steps as each line it reads says, and prints their median
# in milliseconds; at the end its largest resident size in bytes.
import resource, statistics, sys, time, torch, torch.nn as nn, torch.nn.functional as F

torch.set_num_threads(__import__("os").cpu_count())
torch.manual_seed(0)
arch, batch, layout = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def vgg11():
    layers, c = [], 3
    for v in [64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"]:
        if v == "M":
            layers.append(nn.MaxPool2d(2))
        else:
            layers += [nn.Conv2d(c, v, 3, padding=1), nn.ReLU()]
            c = v
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10))


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def simplenet():
    layers, c = [], 3
    for v in [64, 128, 128, 128, "M", 128, 128, 256, "M", 256, 256, "M", 512, "M", (2048, 1), (256, 1), "M", 256]:
        if v == "M":
            layers.append(nn.MaxPool2d(2, ceil_mode=True))
            continue
        o, k = v if isinstance(v, tuple) else (v, 3)
        layers += [nn.Conv2d(c, o, k, padding=k // 2), nn.BatchNorm2d(o), nn.ReLU()]
        c = o
    return nn.Sequential(*layers, nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(256, 10))


class Block(nn.Module):
    def __init__(s, i, o, stride):
        super().__init__()
        s.o, s.stride = o, stride
        s.conv1, s.bn1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        s.conv2, s.bn2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)

    def forward(s, x):
        h = s.bn2(s.conv2(F.relu(s.bn1(s.conv1(x)))))
        if s.stride != 1:
            x = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, s.o // 4, s.o // 4))
        return F.relu(h + x)


def resnet20():
    layers, c = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()], 16
    for o in (16, 32, 64):
        for k in range(3):
            layers.append(Block(c, o, 2 if k == 0 and o > 16 else 1))
            c = o
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


net = globals()[arch]()
shape = (1, 28, 28) if arch == "lenet" else (3, 32, 32)
x, y = torch.randn(batch, *shape), torch.randint(0, 10, (batch,))
if layout == "channels_last":
    net, x = net.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        t = time.perf_counter()
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
        times.append((time.perf_counter() - t) * 1e3)
    print(statistics.median(times), flush=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, flush=True)
