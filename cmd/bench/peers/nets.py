"""The networks that the programs beside train and differentiate, with random weights, and what they share."""
import json, os, time

import torch, torch.nn as nn, torch.nn.functional as F

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())))
torch.manual_seed(0)
gpu = os.environ.get("BENCH_DEVICE")  # cuda, or nothing for the processor
if gpu:
    torch.set_default_device(gpu)
    torch.backends.cudnn.allow_tf32 = os.environ.get("BENCH_TF32") == "1"  # like ours, products are of float32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32


def clock():
    """The time when all work so far is done."""
    if gpu:
        torch.cuda.synchronize()
    return time.perf_counter()


def show(**numbers):
    """Prints numbers as cmd/bench reads them."""
    print(json.dumps(numbers))


def vgg11():
    layers, c = [], 3
    for v in [64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"]:
        if v == "M":
            layers.append(nn.MaxPool2d(2))
        else:
            layers += [nn.Conv2d(c, v, 3, padding=1), nn.ReLU()]
            c = v
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10))


def lenet(k=1):
    return nn.Sequential(
        nn.Conv2d(1, 6 * k, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6 * k, 16 * k, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400 * k, 120 * k), nn.ReLU(), nn.Linear(120 * k, 84 * k), nn.ReLU(), nn.Linear(84 * k, 10))


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
