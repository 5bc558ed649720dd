#!/usr/bin/python3
"""Makes hostile/*.pickle: pickles that make a file, pickle-was-run, where they are
loaded by Python, each by another way that a pickle has to call something. The Go
tests show that here none of them does.

Run it in this folder; it loads each in a process of its own, in a folder that goes
away, and fails if that makes no file. The Go tests read what it has made and need no
Python.
"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile

MARK = "pickle-was-run"
TOUCH = "touch " + MARK
OPEN = f"open('{MARK}', 'w').close()"


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def named(module, name):
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def call(function, *args):
    return function + b"(" + b"".join(args) + b"tR"


def under(value, start=b"\x80\x02"):
    """A dict with the value where a tensor or an array belongs."""
    return start + b"}" + text("data") + value + b"s."


system, evaluate = named("posix", "system"), named("builtins", "eval")
run = named("builtins", "exec")
short = lambda s: b"\x8c" + bytes([len(s)]) + s.encode()

programs = {
    "reduce-system": under(call(system, text(TOUCH))),
    "reduce-eval": under(call(evaluate, text(OPEN))),
    "reduce-exec": under(call(run, text(OPEN))),
    "reduce-import": under(call(evaluate, text(f"__import__('os').system('{TOUCH}')"))),
    "reduce-popen": under(call(named("subprocess", "getoutput"), text(TOUCH))),
    "reduce-open": under(call(named("builtins", "open"), text(MARK), text("w"))),
    # getattr of a module that another call imported: no name in the file is a function's.
    "reduce-getattr": under(call(call(named("builtins", "getattr"), call(named("builtins", "__import__"), text("os")), text("system")), text(TOUCH))),
    # The other instructions that call.
    "inst": under(b"(" + text(TOUCH) + b"iposix\nsystem\n"),
    "obj": under(b"(" + system + text(TOUCH) + b"o"),
    "stack-global": under(short("posix") + short("system") + b"\x93" + text(TOUCH) + b"\x85R", b"\x80\x04"),
    "build-setstate": under(  # an object whose state sets what its BUILD then calls
        named("types", "SimpleNamespace") + b")R}" + text("__setstate__") + system + b"sb" + text(TOUCH) + b"b"),
    "newobj": under(  # bytes.__new__ goes through what map.__new__ made
        named("builtins", "bytes") + named("builtins", "map") + system + b"]" + text(TOUCH) + b"a\x86\x81\x85\x81"),
    "map": under(call(named("builtins", "list"), call(named("builtins", "map"), system, b"]" + text(TOUCH) + b"a"))),
    # Before and after what is looked for.
    "beside": b"\x80\x02}" + text("a") + call(system, text(TOUCH)) + b"s" + text("data") + text("harmless") + b"s.",
    "dropped": b"\x80\x02" + call(system, text(TOUCH)) + b"0}" + text("data") + text("harmless") + b"s.",
    "key": b"\x80\x02}" + call(system, text(TOUCH)) + text("harmless") + b"s.",
    "text": b"(dS'data'\ncposix\nsystem\n(S'" + TOUCH.encode() + b"'\ntRs.",
    # As an argument of what reads an array.
    "in-array": under(call(named("numpy.core.multiarray", "_reconstruct"), named("numpy", "ndarray"), call(system, text(TOUCH)) + b"0K\x00\x85", b"U\x01b")),
    "in-tensor": under(call(named("collections", "OrderedDict"), b"](" + text("w") + call(evaluate, text(OPEN)) + b"\x86e")),
    # Another pickle within.
    "nested": under(call(named("pickle", "loads"), b"B" + struct.pack("<I", len(call(system, text(TOUCH))) + 1) + call(system, text(TOUCH)) + b"."), b"\x80\x03"),
}

folder = pathlib.Path("hostile")
folder.mkdir(exist_ok=True)
for name, program in programs.items():
    path = folder / (name + ".pickle")
    path.write_bytes(program)
    with tempfile.TemporaryDirectory() as away:
        subprocess.run([sys.executable, "-c", "import pickle, sys, time\ntry: pickle.load(open(sys.argv[1], 'rb'))\nexcept Exception as e: print(e)\ntime.sleep(.2)",
                        str(path.resolve())], cwd=away, check=True)
        assert os.path.exists(os.path.join(away, MARK)), name + " makes no file"
