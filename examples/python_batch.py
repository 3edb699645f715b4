# SPDX-License-Identifier: BSD-2-Clause
"""A folder of photographs becomes one batch, as a model takes it: NumPy's on the host, or PyTorch's on a GPU.

    python3 python_batch.py FOLDER [--side 224] [--device cuda:0]

Each picture is decoded at the smallest size, of 1, 1/2, 1/4 and 1/8, that still covers the square, and only as far as the
square in its middle needs. With PyTorch and CUDA the pixels never leave the GPU: they are decoded into the batch.
"""

import argparse
import pathlib
import sys

import kostka


def fit(info, side):
    """The reduction of a picture, and the square in its middle; None where it is too small."""
    for reduce in (3, 2, 1, 0):
        width, height = -(-info.width // 2**reduce), -(-info.height // 2**reduce)
        if min(width, height) >= side:
            return {"reduce": reduce, "region": ((width - side) // 2, (height - side) // 2, side, side)}
    return None


def make_batch(count, side, device):
    if device.startswith("cuda"):
        import torch

        return torch.empty((count, side, side, 3), dtype=torch.uint8, device=device)
    import numpy

    return numpy.empty((count, side, side, 3), numpy.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()

    files = sorted(options.folder.glob("*.jpg"))
    batch = make_batch(len(files), options.side, options.device)
    done = 0
    with kostka.Context(options.device) as context:
        for file in files:
            data = file.read_bytes()
            try:
                how = fit(kostka.info(data), options.side)
                if how is None:
                    raise ValueError("the picture is too small")
                context.decode(data, format="rgb", out=batch[done], **how)
                done += 1
            except (kostka.KostkaError, ValueError) as error:
                print(f"{file}: {error}", file=sys.stderr)
    batch = batch[:done]
    print(f"{done} of {len(files)} pictures: {type(batch).__module__} {tuple(batch.shape)}")


if __name__ == "__main__":
    main()
