# SPDX-License-Identifier: BSD-2-Clause
"""The loop of a training, with a model that fits in a few lines: it learns the mean colour of each class.

    python3 python_train.py SOURCE… [--size 224] [--batch 64] [--epochs 3] [--device cuda:0] [--state FILE]

SOURCE is a folder with a folder for each class, or tar archives in the layout of WebDataset with members KEY.jpg and
KEY.cls. Pictures are cut and mirrored at random, as ImageNet's usually are. With --state the loop goes on where it was
interrupted: the file has the position of the loader and, for want of a network, the sums of the colours. With PyTorch
and --device cuda:0 replace kostka.Loader by kostka.torch.Loader: images and labels are then its tensors.
"""

import argparse
import json
import os
import sys

import kostka
import numpy


class Colours:
    """For each class the sum of the mean colours of its pictures, and how many they are."""

    def __init__(self, sums=None):
        self.sums = {int(label): numpy.array(values) for label, values in (sums or {}).items()}

    def learn(self, images, labels):
        """images: (count, 3, height, width), float32, from −1 to 1"""
        means = numpy.asarray(images).mean(axis=(2, 3))
        for mean, label in zip(means, labels):
            self.sums[label] = self.sums.get(label, numpy.zeros(4)) + [*mean, 1]

    def show(self, classes):
        for label, (*colour, count) in sorted(self.sums.items()):
            name = classes[label] if classes else label
            print(f"{name}: {int(count)} pictures, mean colour", *(f"{127.5 + 127.5 * c / count:.0f}" for c in colour))


def save(path, loader, model):
    """A new file takes the place of the old one once it is complete."""
    state = {"loader": loader.state_dict(), "sums": {label: list(sums) for label, sums in model.sums.items()}}
    with open(path + ".new", "w") as file:
        json.dump(state, file)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="+")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--state")
    parser.add_argument("--batches", type=int, help="stop after this many, as if interrupted")
    options = parser.parse_args()

    loader = kostka.Loader(
        options.source[0] if len(options.source) == 1 else options.source,
        options.size,
        batch_size=options.batch,
        crop="random",
        scale=(0.08, 1),
        flip=0.5,
        dtype="float32",
        mean=127.5,
        std=127.5,
        shuffle=True,
        epochs=options.epochs,
        shard="auto",
        errors="skip",
        memory="host",
        device=options.device,
    )
    model = Colours()
    if options.state and os.path.exists(options.state):
        with open(options.state) as file:
            state = json.load(file)
        loader.load_state_dict(state["loader"])
        model = Colours(state["sums"])
    for count, (images, labels) in enumerate(loader, 1):
        model.learn(images, labels)
        if options.state:
            save(options.state, loader, model)
        if count == options.batches:
            break
    loader.close()
    model.show(loader.classes)
    if loader.failed:
        print(f"{loader.failed} pictures were left out, the last: {loader.failures[-1][1]}", file=sys.stderr)


if __name__ == "__main__":
    main()
