# SPDX-License-Identifier: BSD-2-Clause
"""Writes files completely or not at all, and chooses formats by the files' names."""

import os
import secrets
import stat

_CODECS = {
    ".jpg": "jpeg",
    ".jpeg": "jpeg",
    ".jpe": "jpeg",
    ".jfif": "jpeg",
    ".jp2": "jp2",
    ".j2k": "j2k",
    ".j2c": "j2k",
    ".jpc": "j2k",
    ".jph": "jph",
    ".jhc": "jhc",
}


def is_path(file):
    return isinstance(file, (str, bytes)) or hasattr(file, "__fspath__")


def codec_for(file, codec):
    """Return the codec of a path by its extension, which must not contradict the requested one."""
    path = os.fsdecode(file)
    extension = os.path.splitext(path)[1].lower()
    found = _CODECS.get(extension)
    if codec is None and found is None:
        raise ValueError(f"{path!r} does not say the format: it ends in none of {', '.join(_CODECS)}; or pass codec=")
    family = {"jpeg2000": ("jp2", "j2k"), "jhc": ("jhc", "j2k")}.get(codec, (codec,))
    if codec is not None and found is not None and found not in family:
        raise ValueError(f"codec is {codec!r}, which contradicts the extension of {path!r}")
    return codec if codec == "jhc" else found or codec


def _write_all(file, data):
    """Raw files may take less at a time than they are given."""
    view = memoryview(data)
    while len(view):
        count = file.write(view)
        if count is None or count >= len(view):
            return
        view = view[count:]


def _replace(path, mode, data):
    """A new file takes the place of the old one once it is complete."""
    temporary = os.path.join(os.path.dirname(path), f".{os.path.basename(path)[:100]}.{secrets.token_hex(6)}")
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if mode is not None else 0o666
    )
    try:
        with open(descriptor, "wb", buffering=0) as file:
            if mode is not None:
                os.fchmod(descriptor, mode & 0o777)
            _write_all(file, data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write(file, data):
    """Write to a path or to an object with write(). What a path named before stays until all is written."""
    if not is_path(file):
        if not hasattr(file, "write"):
            raise TypeError(f"{type(file)!r} is neither a path nor a file object with write()")
        _write_all(file, data)
        return
    path = os.path.realpath(os.fsdecode(file))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is None or stat.S_ISREG(mode):
        _replace(path, mode, data)
    else:
        with open(path, "wb", buffering=0) as target:
            _write_all(target, data)
