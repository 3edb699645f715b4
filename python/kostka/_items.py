# SPDX-License-Identifier: BSD-2-Clause
"""What a loader loads: pictures in files and folders, and groups of members in tar archives, found by headers alone."""

import collections
import json
import os
import stat
import sys

from . import _shares
from ._kostka import draw, exchange, tar_groups  # type: ignore[import-not-found]

_AT_ONCE = 1024  # items that are shuffled
PICTURES = ("jpg", "jpeg", "jp2", "j2k", "jph", "jhc")


class ArchiveError(Exception):
    """A tar archive that cannot be read on: `archive` is its path, `offset` the byte where that shows."""

    def __init__(self, archive, offset, reason):
        super().__init__(f"{archive}: {reason} (at byte {offset})")
        self.archive, self.offset, self.reason = archive, offset, reason

    def __reduce__(self):
        return ArchiveError, (self.archive, self.offset, self.reason)


_FAILURES = (OSError, EOFError, ValueError, RecursionError)


def _parse(extension, data):
    """The contents of a member: 'cls' is a whole number, 'json' a value, 'txt' text, all else bytes."""
    kind = extension.rpartition(".")[2]
    if kind == "cls":
        return int(data)
    if kind == "json":
        return json.loads(data)
    return data.decode() if kind == "txt" else data


def _value(extension, data):
    """The contents of a member, or the exception that says why it has none."""
    try:
        return _parse(extension, data)
    except _FAILURES as error:
        return error


def _open(path):
    """Open a file; a pipe is not waited for."""
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)


class File:
    """A picture that is a file of its own. It has no members beside it."""

    __slots__ = ("key", "label", "path")

    def __init__(self, key, label, path):
        self.key, self.label, self.path = key, label, path

    def read(self, limit):
        file = _open(self.path)
        try:
            about = os.fstat(file)
            if not stat.S_ISREG(about.st_mode):
                raise ValueError(f"{self.path}: it is no regular file")
            if about.st_size > limit:
                raise ValueError(f"{self.path}: {about.st_size} bytes, more than the limit of {limit}")
            return _read(file, about.st_size)
        finally:
            os.close(file)


def _read(file, size):
    parts, left = [], size
    while left > 0:
        parts.append(os.read(file, left))
        if not parts[-1]:
            raise EOFError(f"the file ends {left} bytes too early")
        left -= len(parts[-1])
    return parts[0] if len(parts) == 1 else b"".join(parts)


class Contents:
    """What items hold, in columns.

    keys: a list of names
    streams: a list of the pictures' bytes, as objects with the buffer protocol
    labels: a list
    fields: a list of such a list for each field
    failures: a dict from the numbers of items that have failed to exceptions
    """

    __slots__ = ("keys", "streams", "labels", "fields", "failures")

    def __init__(self, keys, streams, labels, fields, failures):
        self.keys, self.streams, self.labels, self.fields, self.failures = keys, streams, labels, fields, failures

    def add(self, other):
        self.failures.update((len(self.streams) + i, error) for i, error in other.failures.items())
        self.keys += other.keys
        self.streams += other.streams
        self.labels += other.labels
        for column, more in zip(self.fields, other.fields):
            column += more


def names_of(label, fields):
    """The extensions of the members of groups that are wanted beside the picture."""
    return fields if label is None else (label, *fields)


def _count_of(limit):
    return -1 if limit < 0 else int(min(limit, sys.maxsize))


def read_items(context, items, label, fields, limit):
    """Return the Contents of items, which are groups, files, and exceptions. The context has the memory."""
    names = names_of(label, fields)
    *columns, others = context._read_groups(items, names, label is not None, limit, _count_of(limit), _value)
    contents = Contents(*columns)
    for i in others:
        try:
            if isinstance(items[i], Exception):
                raise items[i]
            contents.streams[i] = items[i].read(limit)
            contents.keys[i], contents.labels[i] = items[i].key, items[i].label
        except (*_FAILURES, ArchiveError) as error:
            contents.failures[i] = error
    return contents


class _Archive:
    """An open archive, which is closed with the last group that refers to it."""

    def __init__(self, path):
        self.path = path
        self.file = _open(path)

    def __del__(self):
        if hasattr(self, "file"):
            os.close(self.file)


class Archive:
    """An archive of a source. In a folder its name, below that folder, stands before the keys of its groups."""

    __slots__ = ("folder", "number", "path")

    def __init__(self, path, folder="", number=None):
        self.path, self.folder, self.number = path, folder, number


def read_archive(about, shard, pictures, names):
    """Return the groups of an archive that have a picture and belong to the share, and the error that ended it."""
    try:
        archive = _Archive(about.path)
    except OSError as error:
        return [error]
    found, wrong = tar_groups(archive, archive.file, about.folder, about.number, shard, pictures, names)
    if wrong is not None:
        found.append(ArchiveError(about.path, *wrong))
    return found


class Files:
    """Pictures whose number is known."""

    def __init__(self, files, classes, shard):
        self.classes = classes
        self._files = [file for file in files if _is_own(file, shard)]

    def __len__(self):
        return len(self._files)

    def items(self, chance, buffer, pool, ahead):
        """Yield lists of the items of an epoch, in their order or, with a random number generator, shuffled."""
        if chance is None:
            yield self._files
        else:
            yield from _drawn(list(self._files), chance)


class Archives:
    """Archives, which are looked into one after the other, some ahead of the others, and files between them."""

    def __init__(self, parts, classes, pictures, names, shard, split):
        self._parts, self._shard, self.classes = parts, shard, classes
        self._pictures, self._names = pictures, names
        if split == "archives":
            self._parts = parts[shard[0] :: shard[1]]
            self._shard = (0, 1)

    def items(self, chance, buffer, pool, ahead):
        """Yield lists of Files and Groups, with the error of each archive that is damaged."""
        groups = self._all(self._shuffled(chance), pool, ahead)
        return groups if chance is None else _mixed(groups, chance, buffer)

    def _shuffled(self, chance):
        parts = list(self._parts)
        for i in range(len(parts) - 1, 0, -1) if chance else ():
            j = int(chance.random() * (i + 1))
            parts[i], parts[j] = parts[j], parts[i]
        return parts

    def _all(self, parts, pool, ahead):
        waiting = collections.deque()
        for part in parts:
            waiting.append(self._begin(part, pool))
            if len(waiting) > ahead:
                yield self._found(waiting.popleft())
        while waiting:
            yield self._found(waiting.popleft())

    def _begin(self, part, pool):
        if isinstance(part, File):
            return part
        return pool.submit(read_archive, part, self._shard, self._pictures, self._names)

    def _found(self, part):
        if not isinstance(part, File):
            return part.result()
        return [part] if _is_own(part, self._shard) else []


def _is_own(file, shard):
    return _shares.has(shard, os.path.splitext(file.key)[0])


def _random(chance, count):
    """The random bits of which `count` calls of chance.random() would make numbers."""
    return chance.getrandbits(64 * count).to_bytes(8 * count, "little")


def _drawn(held, chance):
    """Take all items in random order, some at a time."""
    while held:
        count = min(len(held), _AT_ONCE)
        yield draw(held, count, _random(chance, count))


def _mixed(lists, chance, buffer):
    """Take each item at random from a buffer of those that come next."""
    held = []
    for some in lists:
        room = buffer - len(held)
        held += some[:room]
        yield exchange(held, some[room:], _random(chance, max(0, len(some) - room)))
    yield from _drawn(held, chance)


def _extension(path):
    return os.path.splitext(path)[1][1:].lower()


def _folder(path, pictures):
    """The pictures and archives below a folder, in the order of their names; their first folder is the class."""
    found = []
    wanted = (*pictures, "tar")
    for folder, folders, files in os.walk(path):
        folders.sort()
        inner = os.path.relpath(folder, path)
        found += [os.path.join(inner, name) if inner != "." else name for name in files if _extension(name) in wanted]
    found.sort()
    classes = sorted({name.split(os.sep)[0] for name in found if os.sep in name})
    number = {name: i for i, name in enumerate(classes)}
    first = [name.split(os.sep)[0] if os.sep in name else None for name in found]
    return [_part_of(path, name, number.get(one)) for name, one in zip(found, first)], classes


def _part_of(path, name, number):
    whole = os.path.join(path, name)
    return Archive(whole, name + "/", number) if _extension(name) == "tar" else File(name, number, whole)


def _listed(one):
    path, label = one if isinstance(one, tuple) else (one, None)
    path = os.fsdecode(path)
    return File(path, label, path)


def open_source(source, pictures, names, shard, split):
    """Find out what a source is: an archive, a folder, or a list of either archives or pictures."""
    if isinstance(source, (str, bytes, os.PathLike)):
        path = os.fsdecode(source)
        if os.path.isdir(path):
            parts, classes = _folder(path, pictures)
            if not parts:
                raise ValueError(f"{path!r}: no pictures in this folder")
            if any(isinstance(part, Archive) for part in parts):
                return Archives(parts, classes or None, pictures, names, shard, split)
            return Files(parts, classes, shard)
        source = [path]
    source = list(source)
    tars = [one for one in source if not isinstance(one, tuple) and _extension(os.fsdecode(one)) == "tar"]
    if tars and len(tars) < len(source):
        raise ValueError("the source has both tar archives and pictures: make a loader for each")
    if tars:
        return Archives([Archive(os.fsdecode(one)) for one in tars], None, pictures, names, shard, split)
    if not source:
        raise ValueError("the source has no pictures")
    return Files([_listed(one) for one in source], None, shard)
