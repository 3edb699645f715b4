# SPDX-License-Identifier: BSD-2-Clause
"""What a loader loads: pictures in files and folders, and groups of members in tar archives, found by headers alone."""

import collections
import json
import os
import stat

from . import _shares
from ._kostka import read_places, tar_groups, tar_members  # type: ignore[import-not-found]

PICTURES = ("jpg", "jpeg", "jp2", "j2k", "jph", "jhc")
_MEMBERS = 4096  # at a time


class ArchiveError(Exception):
    """A tar archive that cannot be read on: `archive` is its path, `offset` the byte where that shows."""

    def __init__(self, archive, offset, reason):
        super().__init__(f"{archive}: {reason} (at byte {offset})")
        self.archive, self.offset, self.reason = archive, offset, reason

    def __reduce__(self):
        return ArchiveError, (self.archive, self.offset, self.reason)


def _parse(extension, data):
    """The contents of a member: 'cls' is a whole number, 'json' a value, 'txt' text, all else bytes."""
    kind = extension.rpartition(".")[2]
    if kind == "cls":
        return int(data)
    if kind == "json":
        return json.loads(data)
    return data.decode() if kind == "txt" else data


def _too_long(name, size, limit):
    return ValueError(f"{name}: {size} bytes, more than the limit of {limit}")


def _read(file, offset, size):
    (data,) = read_places([(file, offset, size)])
    return _checked(data)


def _checked(data):
    if isinstance(data, Exception):
        raise data
    return data


def _open(path):
    """Open a file; a pipe is not waited for."""
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)


class File:
    """A picture that is a file of its own. It has no members beside it."""

    __slots__ = ("key", "label", "path")

    def __init__(self, key, label, path):
        self.key, self.label, self.path = key, label, path

    def places(self, names, limit):
        return []

    def take(self, found, label, fields, limit):
        file = _open(self.path)
        try:
            about = os.fstat(file)
            if not stat.S_ISREG(about.st_mode):
                raise ValueError(f"{self.path}: it is no regular file")
            if about.st_size > limit:
                raise _too_long(self.path, about.st_size, limit)
            return _read(file, 0, about.st_size), self.label, [None] * len(fields)
        finally:
            os.close(file)


class Group:
    """Members of one key in an archive: a dict from extensions to (offset, size). `number` is its folder's class."""

    __slots__ = ("archive", "key", "members", "number", "picture")

    def __init__(self, archive, key, members, picture, number=None):
        self.archive, self.key, self.members, self.picture = archive, key, members, picture
        self.number = number

    def places(self, names, limit):
        """Where the picture is, and those of the other members that there are."""
        places, file, members = [], self.archive.file, self.members
        for name in (self.picture, *names):
            place = members.get(name)
            if place is not None:
                if place[1] > limit:
                    raise _too_long(f"{self.key}.{name}", place[1], limit)
                places.append((file, *place))
        return places

    def take(self, found, label, fields, limit):
        """Make of the contents of these places the stream, the label, and the fields."""
        found = iter(found)
        data = _checked(next(found))
        value = self.number if label is None or label not in self.members else self._value(label, found)
        return data, value, [self._value(one, found) for one in fields]

    def _value(self, extension, found):
        return _parse(extension, _checked(next(found))) if extension in self.members else None


_FAILURES = (OSError, EOFError, ValueError, RecursionError)


def read_items(items, label, fields, limit):
    """Return for each item (data, label, fields), or an exception."""
    names = fields if label is None else (label, *fields)
    results, requests = [], []
    for item in items:
        try:
            places = _checked(item).places(names, limit)
        except (*_FAILURES, ArchiveError) as error:
            results.append(error)
        else:
            results.append(slice(len(requests), len(requests) + len(places)))
            requests += places
    found = read_places(requests)
    for i, item in enumerate(items):
        place = results[i]
        if isinstance(place, slice):
            try:
                results[i] = item.take(found[place], label, fields, limit)
            except _FAILURES as error:
                results[i] = error
    return results


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


def _groups_of(archive, members, pictures, about):
    """Join neighbours of one key; groups without a picture are left out."""
    for key, found in tar_groups(members):
        for picture in pictures:
            if picture in found:
                yield Group(archive, about.folder + key, found, picture, about.number)
                break


def read_archive(about, shard, pictures):
    """Return the groups of an archive that belong to the share, and the error that ended it or None."""
    try:
        archive = _Archive(about.path)
    except OSError as error:
        return [], error
    members, at, wrong = [], 0, None
    while at is not None:
        some, at, wrong = tar_members(archive.file, at, _MEMBERS)
        members += some
    groups = _groups_of(archive, members, pictures, about)
    kept = [group for group in groups if _shares.has(shard, group.key)]
    return kept, None if wrong is None else ArchiveError(about.path, *wrong)


class Files:
    """Pictures whose number is known."""

    def __init__(self, files, classes, shard):
        self.classes = classes
        self._files = [file for file in files if _is_own(file, shard)]

    def __len__(self):
        return len(self._files)

    def items(self, chance, buffer, pool, ahead):
        """Yield the items of an epoch, in their order or, with a random number generator, shuffled."""
        if chance is None:
            yield from self._files
            return
        order = list(range(len(self._files)))
        for i in range(len(order) - 1, -1, -1):  # from the end, as the items are taken
            j = int(chance.random() * (i + 1))
            order[i], order[j] = order[j], order[i]
            yield self._files[order[i]]


class Archives:
    """Archives, which are looked into one after the other, some ahead of the others, and files between them."""

    def __init__(self, parts, classes, pictures, shard, split):
        self._parts, self._pictures, self._shard, self.classes = parts, pictures, shard, classes
        if split == "archives":
            self._parts = parts[shard[0] :: shard[1]]
            self._shard = (0, 1)

    def items(self, chance, buffer, pool, ahead):
        """Yield Files and Groups, and the error of each archive that is damaged."""
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
                yield from self._found(waiting.popleft())
        while waiting:
            yield from self._found(waiting.popleft())

    def _begin(self, part, pool):
        return part if isinstance(part, File) else pool.submit(read_archive, part, self._shard, self._pictures)

    def _found(self, part):
        if not isinstance(part, File):
            yield from _found(part.result())
        elif _is_own(part, self._shard):
            yield part


def _is_own(file, shard):
    return _shares.has(shard, os.path.splitext(file.key)[0])


def _found(result):
    groups, error = result
    yield from groups
    if error is not None:
        yield error


def _mixed(items, chance, buffer):
    """Take each item at random from a buffer of those that come next."""
    held = []
    for item in items:
        if len(held) < buffer:
            held.append(item)
            continue
        i = int(chance.random() * buffer)
        yield held[i]
        held[i] = item
    while held:
        i = int(chance.random() * len(held))
        yield held[i]
        held[i] = held[-1]
        held.pop()


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


def open_source(source, pictures, shard, split):
    """Find out what a source is: an archive, a folder, or a list of either archives or pictures."""
    if isinstance(source, (str, bytes, os.PathLike)):
        path = os.fsdecode(source)
        if os.path.isdir(path):
            parts, classes = _folder(path, pictures)
            if not parts:
                raise ValueError(f"{path!r}: no pictures in this folder")
            if any(isinstance(part, Archive) for part in parts):
                return Archives(parts, classes or None, pictures, shard, split)
            return Files(parts, classes, shard)
        source = [path]
    source = list(source)
    tars = [one for one in source if not isinstance(one, tuple) and _extension(os.fsdecode(one)) == "tar"]
    if tars and len(tars) < len(source):
        raise ValueError("the source has both tar archives and pictures: make a loader for each")
    if tars:
        return Archives([Archive(os.fsdecode(one)) for one in tars], None, pictures, shard, split)
    if not source:
        raise ValueError("the source has no pictures")
    return Files([_listed(one) for one in source], None, shard)
