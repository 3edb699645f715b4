#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Loading for training, the whole loop: python_loader.py PHOTO… [--count N] [--batch N] [--rounds N] [--workers N]
                    [--only kostka,dali]

Photographs are cut to 500x375 at many places, coded at quality 85 with 4:2:0, and put into tar archives of 500 in the
layout of WebDataset, in a temporary folder (TMPDIR) whose files stay in the cache. Each loader reads all of them, takes a
random part of each picture with torchvision's RandomResizedCrop, resizes it to 224x224 (bilinear), mirrors half of them,
normalises, and hands over batches of float16, channels first. --device says where they end. Loaders take turns. Reported
are pictures a second, by the median of the rounds, and processor time for a picture, of all processes.

Peers are those that are installed: Pillow with processes and NumPy; torchvision in PyTorch's DataLoader; on a GPU DALI,
and nvImageCodec with torchvision's resizing.
"""

import argparse
import functools
import io
import itertools
import math
import multiprocessing
import os
import random
import resource
import statistics
import tarfile
import tempfile
import time

import kostka
import numpy

WIDTH, HEIGHT, SIDE, EACH = 500, 375, 224, 500
MEAN, STD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)


# ── Archives ──


def cut(photos, count):
    """Streams of parts of the photographs."""
    chance = random.Random(1)
    pixels = [numpy.asarray(kostka.decode(photo, format="rgb", device="cpu")) for photo in photos]
    pixels = [one for one in pixels if one.shape[0] >= HEIGHT and one.shape[1] >= WIDTH]
    if not pixels:
        raise SystemExit(f"no photograph has {WIDTH}x{HEIGHT} pixels")
    for i in range(count):
        one = pixels[i % len(pixels)]
        y, x = chance.randrange(one.shape[0] - HEIGHT + 1), chance.randrange(one.shape[1] - WIDTH + 1)
        part = numpy.ascontiguousarray(one[y : y + HEIGHT, x : x + WIDTH])
        yield kostka.encode(part, quality=85, subsampling="420", device="cpu")


def write(folder, streams, count):
    paths = []
    for first in range(0, count, EACH):
        paths.append(os.path.join(folder, f"{first:06}.tar"))
        with tarfile.open(paths[-1], "w") as tar:
            for i, data in enumerate(itertools.islice(streams, EACH), first):
                for extension, content in (("jpg", data), ("cls", b"%d" % (i % 1000))):
                    info = tarfile.TarInfo(f"{i:06}.{extension}")
                    info.size = len(content)
                    tar.addfile(info, io.BytesIO(content))
    return paths


# ── Kostka ──


def with_kostka(paths, options):
    kind = kostka.Loader
    if options.torch:
        from kostka.torch import Loader

        kind = Loader
    loader = kind(
        paths,
        SIDE,
        batch_size=options.batch,
        crop="random",
        flip=0.5,
        shuffle=True,
        dtype="float16",
        mean=MEAN,
        std=STD,
        device=options.device,
        readers=options.readers,
        prefetch=options.prefetch,
        decoders=options.decoders,
    )
    return lambda: sum(len(batch) for batch in loader)


# ── Pillow with processes ──


def random_box(width, height):
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            x, y = random.randint(0, width - w), random.randint(0, height - h)
            return x, y, x + w, y + h
    return 0, 0, width, height


def members(path):
    """The pictures of an archive with their labels, as WebDataset reads them."""
    with tarfile.open(path) as tar:
        contents = (tar.extractfile(member).read() for member in tar)
        for picture, label in zip(contents, contents):
            yield picture, int(label)


def pillow_one(data):
    from PIL import Image

    image = Image.open(io.BytesIO(data)).convert("RGB")
    image = image.resize((SIDE, SIDE), Image.Resampling.BILINEAR, random_box(*image.size))
    pixels = numpy.asarray(image)
    pixels = pixels[:, ::-1] if random.random() < 0.5 else pixels
    return ((pixels - numpy.float32(MEAN)) / numpy.float32(STD)).astype(numpy.float16).transpose(2, 0, 1)


def pillow_archive(batch, path):
    """Batches of an archive: a worker of a data loader has archives of its own."""
    found = list(members(path))
    made = []
    for i in range(0, len(found), batch):
        some = found[i : i + batch]
        made.append((numpy.stack([pillow_one(data) for data, _ in some]), [label for _, label in some]))
    return made


def with_pillow(paths, options):
    import PIL.Image  # noqa: F401, this says whether it is installed

    pool = multiprocessing.get_context("spawn").Pool(options.workers)
    work = functools.partial(pillow_archive, options.batch)
    return lambda: sum(len(labels) for batches in pool.imap(work, paths) for _, labels in batches)


# ── torchvision in PyTorch's DataLoader ──


def with_torchvision(paths, options):
    import torch
    import torch.utils.data
    from PIL import Image
    from torchvision.transforms import v2

    class Pictures(torch.utils.data.IterableDataset):
        def __iter__(self):
            worker = torch.utils.data.get_worker_info()
            transform = v2.Compose(
                [
                    v2.PILToTensor(),
                    v2.RandomResizedCrop(SIDE, antialias=True),
                    v2.RandomHorizontalFlip(),
                    v2.ToDtype(torch.float32),
                    v2.Normalize(MEAN, STD),
                    v2.ToDtype(torch.float16),
                ]
            )
            for path in paths[worker.id :: worker.num_workers]:
                for data, label in members(path):
                    yield transform(Image.open(io.BytesIO(data)).convert("RGB")), label

    loader = torch.utils.data.DataLoader(
        Pictures(),
        options.batch,
        num_workers=options.workers,
        persistent_workers=True,
        pin_memory=options.device.startswith("cuda"),
    )
    return lambda: sum(len(images.to(options.device, non_blocking=True)) for images, _ in loader)


# ── On a GPU ──


def with_dali(paths, options):
    from nvidia.dali import fn, pipeline_def, types

    if not options.device.startswith("cuda"):
        raise ImportError("DALI is measured on a GPU only")

    @pipeline_def(batch_size=options.batch, num_threads=options.workers, device_id=0, prefetch_queue_depth=2)
    def pipeline():
        data, label = fn.readers.webdataset(
            paths=paths, ext=["jpg", "cls"], random_shuffle=True, initial_fill=4096, name="reader"
        )
        images = fn.decoders.image_random_crop(data, device="mixed", random_area=[0.08, 1], random_aspect_ratio=[3 / 4, 4 / 3])
        images = fn.resize(images, size=(SIDE, SIDE), interp_type=types.INTERP_LINEAR, antialias=True)
        images = fn.crop_mirror_normalize(
            images, dtype=types.FLOAT16, output_layout="CHW", mean=MEAN, std=STD, mirror=fn.random.coin_flip()
        )
        return images, label

    pipe = pipeline()
    pipe.build()
    count = pipe.reader_meta("reader")["epoch_size"]

    def run():
        done = 0
        while done < count:
            done += len(pipe.run()[0])
        return done

    return run


def with_nvimagecodec(paths, options):
    import torch
    from nvidia import nvimgcodec
    from torchvision.transforms import v2

    if not options.device.startswith("cuda"):
        raise ImportError("nvImageCodec is measured on a GPU only")
    decoder = nvimgcodec.Decoder()
    transform = v2.Compose([v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip()])
    normalise = v2.Compose([v2.ToDtype(torch.float32), v2.Normalize(MEAN, STD), v2.ToDtype(torch.float16)])

    def run():
        count = 0
        for path in paths:
            found = list(members(path))
            for i in range(0, len(found), options.batch):
                images = decoder.decode([data for data, _ in found[i : i + options.batch]])
                images = [transform(torch.from_dlpack(one).permute(2, 0, 1)) for one in images]
                count += len(normalise(torch.stack(images)))
        torch.cuda.synchronize()
        return count

    return run


# ── Measuring ──


def find_loaders(paths, options):
    found = {}
    for make in (with_kostka, with_pillow, with_torchvision, with_dali, with_nvimagecodec):
        name = make.__name__.removeprefix("with_")
        if options.only and name not in options.only.split(","):
            continue
        try:
            found[name] = make(paths, options)
        except ImportError as error:
            print(f"# without {name}: {error}")
    return found


def processor():
    """Seconds of this process and of those that it has started and that live on."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    ticks = 0
    for child in multiprocessing.active_children():
        with open(f"/proc/{child.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return usage.ru_utime + usage.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def measure(run, count):
    wall, busy = time.perf_counter(), processor()
    done = run()
    wall, busy = time.perf_counter() - wall, processor() - busy
    if done < count:
        raise SystemExit(f"{done} of {count} pictures came")
    return done / wall, busy / done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="+")
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes or threads of the peers")
    parser.add_argument("--readers", type=int, default=3)
    parser.add_argument("--prefetch", type=int)
    parser.add_argument("--decoders", type=int)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", help="measure these loaders alone: names with commas")
    parser.add_argument("--torch", action="store_true", help="measure kostka.torch.Loader")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = write(folder, cut(options.photos, options.count), options.count)
        loaders = find_loaders(paths, options)
        times = {name: [] for name in loaders}
        for turn in range(options.rounds + 1):  # the first warms caches and pools
            for name, run in loaders.items():
                found = measure(run, options.count)
                if turn > 0:
                    times[name].append(found)
    print(f"{'loader':<14} {'pictures/s':>11} {'ms of processor':>16}")
    for name, found in times.items():
        rate, busy = (statistics.median(column) for column in zip(*found))
        print(f"{name:<14} {rate:11.0f} {busy * 1e3:16.3f}")


if __name__ == "__main__":
    main()
