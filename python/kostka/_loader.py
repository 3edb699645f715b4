# SPDX-License-Identifier: BSD-2-Clause
"""A loader: pictures from folders or archives become batches in the memory of a device, while others are used."""

import collections
import concurrent.futures
import itertools
import os
import random

from . import _items, _shares

_KEPT = 100  # failures that are remembered


class Batch:
    """Pictures of one size with what belongs to them. Iterating gives the images and the labels, in this order.

    images: a Tensor; of kostka.torch.Loader a tensor of PyTorch's
    labels: a list with one for each picture; None if no picture has one
    keys: the names of the pictures
    fields: a dict of lists, of further members of archives
    """

    __slots__ = ("images", "labels", "keys", "fields")

    def __init__(self, images, labels, keys, fields):
        self.images, self.labels, self.keys, self.fields = images, labels, keys, fields

    def __iter__(self):
        return iter((self.images, self.labels))

    def __len__(self):
        return len(self.keys)


class _Task:
    """Items that become a batch. `first` is the number of the first item in its epoch, `after` the position behind it."""

    __slots__ = ("epoch", "first", "items", "after")

    def __init__(self, epoch, first, items, after):
        self.epoch, self.first, self.items, self.after = epoch, first, items, after


class _Pools:
    """Threads that read and threads that decode, as long as somebody iterates."""

    def __init__(self, readers, decoders):
        self.read = concurrent.futures.ThreadPoolExecutor(readers, "kostka-read")
        self.decode = concurrent.futures.ThreadPoolExecutor(decoders, "kostka-decode")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.decode.shutdown(wait=False, cancel_futures=True)
        self.read.shutdown(wait=False, cancel_futures=True)
        self.decode.shutdown()
        self.read.shutdown()


def _count(value, name, least=1):
    if not isinstance(value, int) or value < least:
        raise ValueError(f"{name} is a whole number from {least} on, not {value!r}")
    return value


def _or(value, default):
    return default if value is None else value


def _one_of(value, name, choices):
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(map(repr, choices))}, not {value!r}")
    return value


class Loader:
    """Batches of pictures from a folder, a list of files, or tar archives; an iterable of Batch, an epoch at a time.

    Threads read files and decode while the caller works on the batch before. The order of the items, the crops and the
    pixels depend on the arguments and the number of the epoch alone. kostka.torch.Loader gives PyTorch's tensors.

    source: a folder, whose pictures have the number of their first folder's name as their label (see `classes`); a list
        of paths, or of pairs (path, label); or a tar archive or a list of those, in the layout of WebDataset: members of
        one key follow each other, "0001.jpg", "0001.cls". A folder may hold archives, too. They must be files that can be read at any place, and not
        compressed
    size: (width, height), or a number for a square
    batch_size: pictures in a batch; fewer at the end of an epoch, and where `errors` leaves some out
    crop: 'center'; 'random': a part whose share of the area is within `scale` (0.08 to 1) and whose aspect ratio within
        `ratio` (3/4 to 4/3), as torchvision's RandomResizedCrop chooses it; 'none': the whole picture, whatever its
        aspect ratio
    resize: with 'center' the length of the shorter side of the picture from which the middle is taken; by default that
        part is as large as it can be
    flip: the probability of mirroring; True is 0.5
    filter, order, draft, format, orient, strict, dtype, layout: as for decode_resized()
    mean, std: numbers, or one for each channel, in units of the values (0 to 255): (value - mean) / std
    device: a name as Context() takes it, or a Context
    memory: 'device', 'host' or 'pinned'; by default that of the device
    shuffle: shuffle files; of archives their order, and take each item at random from the next `buffer` ones (4096)
    seed: of shuffling and crops
    epochs: None: an iteration is one epoch; a number: an iteration goes on until so many epochs are complete, those
        before it included
    drop_last: leave out a last batch that is not full
    shard: (index, count): only this share of the items, by the hash of their names that `kostka … --shard` uses; 'auto':
        what torch.distributed, torchrun, Open MPI, Slurm or an indexed job of Kubernetes say, or all items
    split: what of archives is shared out: 'keys' by their hash, or whole 'archives' in turn, for which all processes
        need the same list
    prefetch: batches that are made ahead, at most (6 for a GPU, else 2)
    readers, decoders: threads that read (3), and that call the library, which has threads of its own (3 for a GPU, else 1)
    errors: 'raise', or 'skip': leave out what cannot be read or decoded, and count it in `failed`; `failures` has the last
        100, as pairs of a name and an exception. Of a damaged archive what precedes the damage is taken
    labels: the extension of members of archives that are labels; None: there are none
    fields: extensions of further members, which become lists in Batch.fields: 'cls' whole numbers, 'json' values, 'txt'
        text, others bytes; None for an item without one
    pictures: extensions of pictures; of a group that has several the first one in this list is taken
    limit: the most bytes of a file or member
    """

    def __init__(
        self,
        source,
        size,
        *,
        batch_size=64,
        crop="center",
        scale=None,
        ratio=None,
        resize=None,
        flip=0.0,
        filter="bilinear",
        order=None,
        draft=False,
        format="rgb",
        orient=False,
        strict=False,
        dtype="uint8",
        mean=None,
        std=None,
        layout="NCHW",
        device=None,
        memory=None,
        shuffle=False,
        buffer=4096,
        seed=0,
        epochs=None,
        drop_last=False,
        shard=None,
        split="keys",
        prefetch=None,
        readers=3,
        decoders=None,
        errors="raise",
        labels="cls",
        fields=(),
        pictures=_items.PICTURES,
        limit=2**28,
    ):
        self._batch_size, self._buffer = _count(batch_size, "batch_size"), _count(buffer, "buffer")
        self._epochs = None if epochs is None else _count(epochs, "epochs")
        self._errors = _one_of(errors, "errors", ("raise", "skip"))
        self._split = _one_of(split, "split", ("keys", "archives"))
        self._seed, self._shuffle, self._drop_last = int(seed), bool(shuffle), bool(drop_last)
        self._shard = _shares.read_shard(shard)
        self._fields = tuple(fields)
        self._wanted = (labels, self._fields, limit)
        ask_for_channels()
        self._context = _context_of(device)
        on_device = self._context.device.kind != "cpu"
        self._readers = _count(readers, "readers")
        decoders, prefetch = _or(decoders, 3 if on_device else 1), _or(prefetch, 6 if on_device else 2)
        self._decoders, self._prefetch = _count(decoders, "decoders"), _count(prefetch, "prefetch")
        self._crop = _crop_options(size, crop, scale, ratio, resize, flip, orient)
        self._decode = {
            "size": size,
            "fit": "cover" if crop == "center" and resize is None else None,
            "filter": filter,
            "order": order,
            "draft": draft,
            "format": format,
            "orient": orient,
            "strict": strict,
            "dtype": dtype,
            "mean": mean,
            "scale": _inverse(std),
            "layout": layout,
        }
        self._memory = memory or ("device" if on_device else "host")
        self._try_options()
        names = _items.names_of(labels, self._fields)
        self._source = _items.open_source(source, tuple(pictures), names, self._shard, self._split)
        self.classes = self._source.classes
        self.epoch, self._position, self._resumed = 0, 0, False
        self.failed, self.failures = 0, collections.deque(maxlen=_KEPT)
        self._counted = None
        self._running = None

    def _try_options(self):
        """Raise what is wrong with the options now, instead of with the first batch."""
        self._context._crops([], **self._crop)
        picture = self._context.encode(memoryview(bytes(192)).cast("B", (8, 8, 3)))
        self._context.decode_resized([picture], memory=self._memory, **self._decode)

    def __len__(self):
        """The batches of an epoch. That is known of archives once an epoch has been completed."""
        items = len(self._source) if hasattr(self._source, "__len__") else self._counted
        if items is None:
            raise TypeError("how many pictures there are in archives is known after the first epoch")
        return items // self._batch_size if self._drop_last else -(-items // self._batch_size)

    # ── Positions ──

    def set_epoch(self, epoch):
        """Let the next iteration begin with this epoch, which says how items are shuffled and cut."""
        self.epoch, self._position, self._resumed = _count(epoch, "epoch", 0), 0, True

    def _identity(self):
        return {
            "seed": self._seed,
            "shuffle": self._shuffle and self._buffer,
            "shard": list(self._shard),
            "split": self._split,
        }

    def state_dict(self):
        """The position behind the batch that was handed over last, as a dict of plain values."""
        return {"epoch": self.epoch, "position": self._position, **self._identity()}

    def load_state_dict(self, state):
        """Let the next iteration go on from a position. The batch size may be another, but not what orders the items."""
        wrong = [name for name, value in self._identity().items() if state.get(name) != value]
        if wrong:
            raise ValueError(f"the state is that of a loader with another {', '.join(wrong)}")
        self.epoch, self._position = _count(state["epoch"], "epoch", 0), _count(state["position"], "position", 0)
        self._resumed = True

    # ── Items ──

    def _chance(self, epoch):
        return random.Random(f"{self._seed}/{epoch}/{self._shard}") if self._shuffle else None

    def _items_of(self, epoch, pools):
        return self._source.items(self._chance(epoch), self._buffer, pools.read, self._readers)

    def _tasks_of(self, epoch, skipped, pools):
        """Cut an epoch into batches. Errors of archives count as items, so that positions do not depend on `errors`."""
        items = itertools.chain.from_iterable(self._items_of(epoch, pools))
        first = sum(1 for _ in itertools.islice(items, skipped))
        some = list(itertools.islice(items, self._batch_size))
        while some:
            following = list(itertools.islice(items, self._batch_size))
            last = not following or (self._drop_last and len(following) < self._batch_size)
            if self._drop_last and len(some) < self._batch_size:
                break
            yield _Task(epoch, first, some, (epoch + 1, 0) if last else (epoch, first + len(some)))
            first += len(some)
            some = following
        self._counted = first + (len(some) if self._drop_last else 0)

    def _tasks(self, pools):
        epoch, skipped = self.epoch, self._position
        while True:
            yield from self._tasks_of(epoch, skipped, pools)
            epoch, skipped = epoch + 1, 0
            if self._epochs is None or epoch >= self._epochs:
                return

    # ── Work in threads ──

    def _submit(self, pools, task):
        share = -(-len(task.items) // self._readers)
        parts = [task.items[i : i + share] for i in range(0, len(task.items), share)]
        reads = [pools.read.submit(_items.read_items, self._context, part, *self._wanted) for part in parts]
        return task, pools.decode.submit(self._make, task, reads)

    def _make(self, task, reads):
        """Return a batch, or None where no picture is good, and the failures as pairs of a name and an exception."""
        contents = reads[0].result()
        for read in reads[1:]:
            contents.add(read.result())
        *crops, failures = self._crops_of(task, contents.streams)
        failures.update(contents.failures)
        images, good = self._decode_good(contents.streams, crops, failures)
        named = [(_name_of(task.items[i]), failures[i]) for i in sorted(failures)]
        return None if images is None else self._batch(images, contents, good), named

    def _decode_good(self, streams, crops, failures):
        """Decode what has not failed. Without the pictures that fail now the others are decoded again, side by side."""
        while len(failures) < len(streams):
            good = [i for i in range(len(streams)) if i not in failures]
            tensor, out = self._decode_some(_chosen(streams, good), [_chosen(column, good) for column in crops])
            if not tensor.errors:
                return self._images(tensor, out), good
            failures.update((good[i], error) for i, error in tensor.errors.items())
        return None, []

    def _crops_of(self, task, streams):
        seed = random.Random(f"{self._seed}/{task.epoch}/{self._shard}/crops").getrandbits(64)
        return self._context._crops(streams, seed=seed, first=task.first, **self._crop)

    def _decode_some(self, streams, crops):
        boxes, mirror = crops
        out = self._out(len(streams))
        where = {"memory": self._memory} if out is None else {"out": out}
        options = {**where, **self._decode}
        return self._context.decode_resized(streams, boxes=boxes, mirror=mirror, errors="return", **options), out

    def _batch(self, images, contents, good):
        keys, labels, *columns = (_chosen(one, good) for one in (contents.keys, contents.labels, *contents.fields))
        return Batch(images, self._labels(labels), keys, dict(zip(self._fields, columns)))

    # ── What a class derived from this one changes ──

    def _out(self, count):
        """Memory for pictures; None: the library's."""
        return None

    def _images(self, tensor, out):
        return tensor

    def _labels(self, labels):
        return None if all(label is None for label in labels) else labels

    # ── Iterating ──

    def __iter__(self):
        self.close()
        if not self._resumed:
            self._position = 0
        self._resumed = False
        self._running = self._run()
        return self._running

    def close(self):
        """End the threads of an iteration that was left."""
        if self._running is not None:
            self._running.close()

    def _run(self):
        with _Pools(self._readers, self._decoders) as pools:
            tasks, waiting = self._tasks(pools), collections.deque()
            while True:
                for task in itertools.islice(tasks, self._prefetch + 1 - len(waiting)):
                    waiting.append(self._submit(pools, task))
                if not waiting:
                    return
                task, future = waiting.popleft()
                batch, failures = future.result()
                self._note(failures)
                self.epoch, self._position = task.after
                if batch is not None:
                    yield batch

    def _note(self, failures):
        for key, error in failures:
            if self._errors == "raise":
                error.add_note(f"of {key}")
                raise error
            self.failed += 1
            self.failures.append((key, error))


def ask_for_channels():
    """Ask CUDA's driver for 32 channels instead of eight. It reads this as it starts, and takes longer to start."""
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")


def _context_of(device):
    import kostka

    return kostka._context(device)


def _chosen(column, good):
    """The items of a column with these numbers, which are in ascending order."""
    return column if len(good) == len(column) else [column[i] for i in good]


def _name_of(item):
    """The key of an item, or the archive that an error is about."""
    return getattr(item, "key", None) or getattr(item, "archive", None) or getattr(item, "filename", None)


def _inverse(std):
    if std is None:
        return None
    return [1 / one for one in std] if hasattr(std, "__iter__") else 1 / std


def _crop_options(size, crop, scale, ratio, resize, flip, orient):
    _one_of(crop, "crop", ("center", "random", "none"))
    if crop != "random" and (scale is not None or ratio is not None):
        raise ValueError("scale and ratio go with crop='random'")
    if crop != "center" and resize is not None:
        raise ValueError("resize, the length of the shorter side, goes with crop='center'")
    return {
        "size": size,
        "crop": crop,
        "scale": scale,
        "ratio": ratio,
        "shorter": resize,
        "flip": 0.5 if flip is True else float(flip),
        "orient": orient,
    }
