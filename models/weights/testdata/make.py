#!/usr/bin/python3
"""Makes the fixtures of the Go tests, and expected.json with what is in them.

Run it in this folder with PyTorch 1.13 (Debian: apt install python3-torch). The
Go tests read what it has made and need no Python. The keys of storages in the
old format are addresses, so its files differ from run to run; their content does
not.
"""

import argparse
import collections
import inspect
import io
import json
import math
import os
import pickle
import struct
import tarfile
import types
import zipfile

import numpy as np
import torch

expected = {}


def number(x):
    """Returns x for JSON, which has no NaN and no infinities."""
    return x if isinstance(x, int) or math.isfinite(x) else repr(x)


def describe(name, t):
    t = t.detach()
    if t.dtype in (torch.float16, torch.bfloat16):
        t = t.float()
    if t.dtype == torch.bool:
        t = t.to(torch.uint8)
    return {
        "name": name,
        "dtype": str(t.dtype).removeprefix("torch."),
        "shape": list(t.shape),
        "values": [number(x) for x in t.reshape(-1).tolist()],
    }


def expect(file, state_dict, metadata=None):
    expected[file] = {"tensors": [describe(n, t) for n, t in state_dict.items()]}
    if metadata:
        expected[file]["metadata"] = metadata


def save(name, obj, state_dict, **kwargs):
    """Saves obj in both formats of torch.save, to be read as state_dict."""
    for suffix, zipped in ((".zip.pth", True), (".old.pth", False)):
        torch.save(obj, name + suffix, _use_new_zipfile_serialization=zipped, **kwargs)
        if state_dict is not None:
            expect(name + suffix, state_dict)


def ramp(*shape, dtype=torch.float32):
    n = math.prod(shape)
    return (torch.arange(n, dtype=torch.float64) * 0.75 - 2).to(dtype).reshape(shape)


def every_dtype():
    d = collections.OrderedDict()
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        d[f"{dtype}"] = ramp(2, 3, dtype=dtype)
        d[f"{dtype}.special"] = torch.tensor(
            [0.0, -0.0, math.inf, -math.inf, math.nan, torch.finfo(dtype).max, torch.finfo(dtype).tiny / 4], dtype=dtype)
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8):
        d[f"{dtype}"] = torch.tensor([torch.iinfo(dtype).min, 7, torch.iinfo(dtype).max], dtype=dtype)
    d["torch.bool"] = torch.tensor([[True, False], [False, True]])
    d["num_batches_tracked"] = torch.tensor(12345)
    d["scalar"] = torch.tensor(0.1)
    d["empty"] = torch.zeros(0, 3)
    d["größe.重み"] = ramp(1, 1, 2)
    return d


def strided():
    base = ramp(4, 6)
    images = ramp(2, 3, 2, 2).to(memory_format=torch.channels_last)
    shared = ramp(5)
    return {
        "whole": base,
        "transposed": base.t(),
        "rows": base[1:3],
        "columns": base[:, 2:5],
        "steps": base[::2, 1::3],
        "diagonal": base.diagonal(),
        "expanded": torch.tensor([1.5, 2.5]).reshape(2, 1).expand(2, 5),
        "channels_last": images,
        "alone": ramp(3, 4).t(),
        "tail": ramp(100)[90:],
        "tied.a": shared,
        "tied.b": shared,
        "element": base[2, 3],
        "none": base[:0],
        "halves": ramp(2, 4, dtype=torch.float16).t(),
    }


def network():
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3, bias=False), torch.nn.BatchNorm2d(2), torch.nn.Flatten(), torch.nn.Linear(2, 3))


def prefixed(prefix, state_dict):
    return collections.OrderedDict((prefix + n, t) for n, t in state_dict.items())


def train(net):
    """Takes a step, so that the optimizer has tensors of its own."""
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    net(torch.randn(4, 1, 3, 3)).square().sum().backward()
    optimizer.step()
    return optimizer


def checkpoint(net, optimizer):
    """A checkpoint with all that people put beside the state dict."""
    return {
        "epoch": 199,
        "arch": "tiny",
        "best_prec1": np.float64(91.25),
        "best_loss": torch.tensor(0.25),
        "state_dict": prefixed("module.", net.state_dict()),
        "optimizer": optimizer.state_dict(),
        "scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 30).state_dict(),
        "args": argparse.Namespace(lr=0.1, workers=8, names=["a", "b"]),
        "history": collections.defaultdict(list, loss=[1.5, 0.25]),
        "seen": {1, 2, 3},
        "frozen": frozenset({"a", "b"}),
        "mean": np.array([0.485, 0.456, 0.406]),
        "counts": np.int64(7),
        "raw": b"\x00\xff",
        "big": 1 << 80,
        "negative": -(1 << 40),
        "complex": 1 + 2j,
        "device": torch.device("cpu"),
        "dtype": torch.float16,
        "class": torch.nn.Linear,
        "sparse": torch.eye(3).to_sparse(),
        "complex_tensor": torch.tensor([1j]),
        "quantized": torch.quantize_per_tensor(ramp(2), 0.1, 0, torch.qint8),
    }


class Net(torch.nn.Module):
    """A module whose source the old format keeps."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(ramp(2))

    def forward(self, x):
        return x * self.weight


class Python2Pickler(pickle._Pickler):
    """Pickles an OrderedDict as Python 2.7 did, with a list of its items, and zero
    in a file with long integers as 0L."""

    def reducer_override(self, obj):
        if type(obj) is collections.OrderedDict:
            return collections.OrderedDict, ([[k, v] for k, v in obj.items()],)
        return NotImplemented

    def save_int(self, obj):
        if obj == 0:
            self.write(b"\x8a\x00")
        else:
            super().save_long(obj)

    dispatch = dict(pickle._Pickler.dispatch)
    dispatch[int] = save_int


class Runs:
    """Calls a function with arguments when it is unpickled in Python."""

    def __init__(self, function, *args):
        self.reduced = function, args

    def __reduce__(self):
        return self.reduced


def deflate(source, target):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    expected[target] = expected[source]


def script(path):
    torch.jit.save(torch.jit.script(Net()), path)


def tar(path):
    """The format before 0.1.10, of which the reader only looks at the outside."""
    with tarfile.open(path, "w:", format=tarfile.PAX_FORMAT) as t:
        for name in ("sys_info", "pickle", "tensors", "storages"):
            data = pickle.dumps(0, protocol=2)
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    os.truncate(path, 1024)


def safetensors(path, state_dict, metadata):
    """Writes a file by the specification, without the safetensors library."""
    names = {torch.float16: "F16", torch.bfloat16: "BF16", torch.float32: "F32", torch.float64: "F64",
             torch.int8: "I8", torch.int16: "I16", torch.int32: "I32", torch.int64: "I64",
             torch.uint8: "U8", torch.bool: "BOOL"}
    header, data = {"__metadata__": metadata}, b""
    for name, t in state_dict.items():
        raw = t.contiguous()
        if t.dtype == torch.bfloat16:
            raw = raw.view(torch.int16)
        raw = raw.numpy().tobytes()
        header[name] = {"dtype": names[t.dtype], "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)
    expect(path, state_dict, metadata)


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    net = network()
    optimizer = train(net)
    plain = net.state_dict()

    save("dtypes", every_dtype(), every_dtype())
    save("strided", strided(), strided())
    save("network", plain, plain)
    save("protocol4", dict(plain), plain, pickle_protocol=4)
    save("checkpoint", checkpoint(net, optimizer), plain)
    save("compiled", {"model": {"net": prefixed("_orig_mod.module.", plain)}}, plain)

    attributed = torch.nn.Parameter(ramp(2, 2))
    attributed.tag = "note"
    tagged = ramp(3)
    tagged.tag = "note"
    parameters = {"weight": torch.nn.Parameter(ramp(3, 2)), "attributed": attributed, "tagged": tagged}
    save("parameters", {"params": parameters}, parameters)

    # Python 2 had no zip format.
    python2 = types.SimpleNamespace(Pickler=Python2Pickler, __name__="pickle", dump=pickle.dump)
    torch.save(plain, "python2.old.pth", pickle_module=python2, _use_new_zipfile_serialization=False)
    expect("python2.old.pth", plain)

    deflate("dtypes.zip.pth", "deflated.zip.pth")
    safetensors("dtypes.safetensors", every_dtype(), {"format": "pt", "note": "größe \"quoted\" <tag>"})

    # What must be refused. Of a module the old format keeps the path of its source.
    inspect.getsourcefile = lambda _: "make.py"
    save("module", Net(), None)
    save("sparse", {"weight": torch.eye(3).to_sparse(), "bias": ramp(3)}, None)
    save("list", [ramp(3)], None)
    save("hostile", {
        "weight": ramp(2),
        "a": Runs(os.system, "touch weights-were-run"),
        "b": Runs(eval, "open('weights-were-run', 'w')"),
        "c": Runs(exec, "open('weights-were-run', 'w')"),
    }, None)
    save("hostile-beside", {
        "state_dict": {"weight": ramp(2)},
        "a": Runs(os.system, "touch weights-were-run"),
        "b": Runs(eval, "open('weights-were-run', 'w')"),
    }, {"weight": ramp(2)})
    script("script.pt")
    tar("tar.pth")

    with open("expected.json", "w") as f:
        json.dump(expected, f, ensure_ascii=False)
        f.write("\n")


main()
