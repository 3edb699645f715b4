#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""nvImageCodec with and without Kostka's extension: nvimagecodec.py EXTENSION.so FILE… [--gpu] [--batch N] [--rounds N]

A process for each stays, and they take turns: all files, repeated to fill a batch, are decoded in one call; then, with
--encode, their pictures are encoded as JPEG in one. Medians and the least are printed: processor time on the CPU's back
end, with one thread; with --gpu the time until the device has done everything. NVIDIA's own decoders on a GPU need the
wheels nvidia-nvjpeg-cu12 and nvidia-nvjpeg2k-cu12.
"""

import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def work(arguments):
    """Do a round for each line of the input, and print how long it took."""
    from nvidia import nvimgcodec as nv

    kind = nv.BackendKind
    if arguments.gpu:
        kinds, device = [kind.GPU_ONLY, kind.HYBRID_CPU_GPU, kind.HW_GPU_ONLY], 0
        synchronize = ctypes.CDLL("libcuda.so.1").cuCtxSynchronize
    else:
        kinds, device, synchronize = [kind.CPU_ONLY], nv.NVIMGCODEC_DEVICE_CPU_ONLY, int
    where = {"device_id": device, "backends": [nv.Backend(k) for k in kinds], "max_num_cpu_threads": 1}
    decoder, encoder = nv.Decoder(**where), nv.Encoder(**where)
    data = [pathlib.Path(file).read_bytes() for file in arguments.files]
    data = [data[i % len(data)] for i in range(max(arguments.batch, len(data)))]
    images = decoder.decode([nv.CodeStream(d) for d in data]) if arguments.encode else []
    clock = time.perf_counter if arguments.gpu else time.process_time
    for _ in sys.stdin:
        begin = clock()
        if arguments.encode:
            results = encoder.encode(images, "jpeg")
        else:
            results = decoder.decode([nv.CodeStream(d) for d in data])
        synchronize()
        spent = clock() - begin
        assert all(result is not None for result in results), "a picture failed"
        print(spent, flush=True)


def start(folder):
    environment = {**os.environ, "NVIMGCODEC_EXTENSIONS_PATH": str(folder)}
    command = [sys.executable, __file__, *sys.argv[1:], "--work"]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def turn(process):
    process.stdin.write("\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("extension")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--encode", action="store_true")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        return work(arguments)
    from nvidia import nvimgcodec

    theirs = pathlib.Path(nvimgcodec.__file__).parent / "extensions"
    with tempfile.TemporaryDirectory() as both:
        for path in [*theirs.iterdir(), pathlib.Path(arguments.extension).resolve()]:
            os.symlink(path, os.path.join(both, path.name))
        processes = [start(theirs), start(both)]
        for process in processes:
            turn(process)  # which opens everything
        times = list(zip(*[[turn(process) for process in processes] for _ in range(arguments.rounds)]))
        for process in processes:
            process.stdin.close()
            process.wait()
    for name, spent in zip(("nvImageCodec", "with Kostka"), times):
        print(f"{name:13} median {1e3 * statistics.median(spent):8.2f} ms, least {1e3 * min(spent):8.2f} ms")
    return None


if __name__ == "__main__":
    main()
