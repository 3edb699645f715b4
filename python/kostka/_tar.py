# SPDX-License-Identifier: BSD-2-Clause
"""Groups of tar archives, in the layout of WebDataset, as a source for flows."""

import collections
import os
import tarfile
import typing

from ._kostka import name_hash  # type: ignore[import-not-found]

_PICTURES = ("jpg", "jpeg", "jp2", "j2k")


class Group(typing.NamedTuple):
    """Members of an archive that belong together: a dict from what is behind the key and a dot to the bytes."""

    archive: "str | None"
    key: str
    members: "dict[str, bytes]"


def _split(name):
    """Return the key of a name, up to the first dot of its last part, and what is behind the dot."""
    slash = name.rfind("/") + 1
    dot = name.find(".", slash)
    return (name, "") if dot <= slash else (name[:dot], name[dot + 1 :])


def _hash(key):
    """The hash by which the command line divides groups, too."""
    return name_hash(os.fsencode(key))


def _check_shard(shard):
    index, count = shard or (0, 1)
    if not 0 <= index < count:
        raise ValueError(f"shard is (index, count) with 0 <= index < count, not {shard!r}")
    return index, count


def _read(archive, file, limit):
    """The files of an archive: pairs of names and contents."""
    options = {"name": archive} if file is None else {"fileobj": file}
    with tarfile.open(mode="r|*", encoding="utf-8", errors="surrogateescape", **options) as tar:
        for info in tar:
            if not info.isreg():
                continue
            if info.size > limit:
                raise ValueError(f"{archive!r}: {info.name!r} has {info.size} bytes, more than the limit of {limit}")
            yield info.name, tar.extractfile(info).read()
            tar.members.clear()  # it would keep a record of each


def _group(archive, files, limit):
    group, size = None, 0
    for name, data in files:
        key, extension = _split(name)
        if group is None or group.key != key:
            if group is not None:
                yield group
            group, size = Group(archive, key, {}), 0
        size += len(data)
        if size > limit:
            raise ValueError(f"{archive!r}: the members of {key!r} have more bytes than the limit of {limit}")
        group.members[extension] = data
    if group is not None:
        yield group


def tar_groups(archives, *, shard=None, limit=2**30):
    """Read tar archives, also compressed ones, and yield a Group for each key: what is in front of the first dot.

    Members of one key follow each other. Links, folders and devices are left out, and nothing is unpacked into files.

    archives: an iterable of paths and of binary files that are open, or one of them
    shard: (index, count): only this share of the groups, by a hash of the key, the one of `kostka … --shard`
    limit: the most bytes of a group; a ValueError says that it is exceeded
    """
    index, count = _check_shard(shard)
    if isinstance(archives, (str, bytes, os.PathLike)) or hasattr(archives, "read"):
        archives = [archives]
    for one in archives:
        file = one if hasattr(one, "read") else None
        archive = getattr(one, "name", None) if file is not None else os.fsdecode(one)
        for group in _group(archive, _read(archive, file, limit), limit):
            if count == 1 or _hash(group.key) % count == index:
                yield group


def _picture_of(group, pictures):
    for extension in pictures:
        if extension in group.members:
            return group.members[extension]
    return None


def flow_tar(flow, archives, *, pictures=_PICTURES, shard=None, limit=2**30, **options):
    waiting = collections.deque()

    def source():
        for group in tar_groups(archives, shard=shard, limit=limit):
            data = _picture_of(group, pictures)
            if data is not None:
                waiting.append(group)
                yield data

    if options.get("in_order") is False:
        raise ValueError("groups come in the order of the archives: leave in_order out")
    with flow(source(), **options) as results:
        while True:
            try:
                result = next(results)
            except StopIteration:
                return
            yield waiting.popleft(), result
