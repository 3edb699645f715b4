# SPDX-License-Identifier: BSD-2-Clause
"""Groups of tar archives, in the layout of WebDataset, as a source for flows."""

import collections
import os
import tarfile
import typing
import zlib

from ._kostka import name_hash, tar_split  # type: ignore[import-not-found]

_PICTURES = ("jpg", "jpeg", "jp2", "j2k")
_ENDS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")
_FAILURES = (tarfile.TarError, zlib.error, OSError, EOFError, ValueError)


class Group(typing.NamedTuple):
    """Members of an archive that belong together: a dict from what is behind the key and a dot to the bytes.

    Without a key it stands for an archive that cannot be read on.
    """

    archive: "str | None"
    key: "str | None"
    members: "dict[str, bytes]"


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
        key, extension = tar_split(name)
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


def _archives_in(folder):
    """The archives below a folder, in the order of their names, which stand before the keys of their groups."""
    found = []
    for inner, folders, files in os.walk(folder):
        folders.sort()
        found += [os.path.relpath(os.path.join(inner, name), folder) for name in files if name.endswith(_ENDS)]
    return [(os.path.join(folder, name), name + "/") for name in sorted(found)]


def _list(archives):
    """Pairs of a path or file, and what stands before the keys."""
    if isinstance(archives, (str, bytes, os.PathLike)) or hasattr(archives, "read"):
        archives = [archives]
    for one in archives:
        if not hasattr(one, "read") and os.path.isdir(one):
            yield from _archives_in(os.fsdecode(one))
        else:
            yield one, ""


def _groups_in(one, before, share, limit):
    file = one if hasattr(one, "read") else None
    archive = getattr(one, "name", None) if file is not None else os.fsdecode(one)
    for group in _group(archive, _read(archive, file, limit), limit):
        group = group._replace(key=before + group.key)
        if share[1] == 1 or _hash(group.key) % share[1] == share[0]:
            yield group


def tar_groups(archives, *, shard=None, limit=2**30):
    """Read tar archives, also compressed ones, and yield a Group for each key: what is in front of the first dot.

    Members of one key follow each other. Links, folders and devices are left out, and nothing is unpacked into files.

    archives: an iterable of paths and of binary files that are open, or one of them. A folder stands for all archives
        below it, and its groups have keys such as 'b/c.tar/0001'
    shard: (index, count): only this share of the groups, by a hash of the key, the one of `kostka … --shard`
    limit: the most bytes of a group; a ValueError says that it is exceeded
    """
    share = _check_shard(shard)
    for one, before in _list(archives):
        yield from _groups_in(one, before, share, limit)


def _groups_and_failures(archives, shard, limit):
    """Yield groups, and for each archive that cannot be read on a pair of a group without a key and the error."""
    share = _check_shard(shard)
    for one, before in _list(archives):
        try:
            yield from ((group, None) for group in _groups_in(one, before, share, limit))
        except _FAILURES as error:
            name = getattr(one, "name", None) if hasattr(one, "read") else os.fsdecode(one)
            yield Group(name, None, {}), error


def _picture_of(group, pictures):
    for extension in pictures:
        if extension in group.members:
            return group.members[extension]
    return None


def flow_tar(flow, archives, *, pictures=_PICTURES, shard=None, limit=2**30, **options):
    waiting = collections.deque()  # pairs of a group and, where no result will come, the error
    returns = options.get("errors") == "return"

    def source():
        for group, error in _groups_and_failures(archives, shard, limit):
            if error is not None and not returns:
                raise error
            data = _picture_of(group, pictures)
            if data is not None or error is not None:
                waiting.append((group, error))
            if data is not None:
                yield data

    def failures():
        while waiting and waiting[0][1] is not None:
            yield waiting.popleft()

    if options.get("in_order") is False:
        raise ValueError("groups come in the order of the archives: leave in_order out")
    with flow(source(), **options) as results:
        while True:
            try:
                result = next(results)
            except StopIteration:
                break
            yield from failures()
            yield waiting.popleft()[0], result
    yield from failures()
