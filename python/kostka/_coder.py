# SPDX-License-Identifier: BSD-2-Clause
"""Work on streams as an object that can be sent to other processes and machines."""


class Coder:
    """Decodes, converts or transcodes lists of streams; for Dask, Spark, multiprocessing and the like.

    It can be pickled: a process that it comes to makes its own context, for all coders with the same device. A process for
    each GPU sees its own where CUDA_VISIBLE_DEVICES is set.

    decode, encode, transcode: dicts of options as for the functions of these names. With `encode` what is decoded is
        encoded, with `transcode` streams are rewritten, otherwise they become Images
    device: as for decode(): a name; None: the environment variable KOSTKA_DEVICE, else 'auto'
    errors: 'return' gives a KostkaError in the place of a stream that fails; 'raise' raises the first
    """

    def __init__(self, *, decode=None, encode=None, transcode=None, device=None, errors="return"):
        if transcode is not None and (decode is not None or encode is not None):
            raise ValueError("transcode goes neither with decode nor with encode")
        if errors not in ("raise", "return"):
            raise ValueError(f"errors is 'raise' or 'return', not {errors!r}")
        for name, options in (("decode", decode), ("encode", encode), ("transcode", transcode)):
            if options is not None and not isinstance(options, dict):
                raise TypeError(f"{name} is a dict of options, not {type(options)!r}")
        if device is not None and not isinstance(device, str):
            raise TypeError(f"device is a name, which other processes know, not {type(device)!r}")
        self._decode, self._encode, self._transcode = decode or {}, encode, transcode
        self._device, self._errors = device, errors

    def __call__(self, sources):
        """Return a list with an Image, bytes or a KostkaError for each of the sources: bytes, buffers, paths or files."""
        import kostka

        sources, where = list(sources), {"device": self._device, "errors": self._errors}
        if self._transcode is not None:
            return kostka.transcode_batch(sources, **where, **self._transcode)
        if self._encode is None:
            return kostka.decode_batch(sources, **where, **self._decode)
        results = self._convert(sources)
        for i, one in enumerate(results):
            if self._errors == "raise" and isinstance(one, kostka.KostkaError):
                one.index = i
                raise one
        return results

    def _convert(self, sources):
        """Decode and encode. Pictures stay in the device's memory; those that find no place there go through the host's."""
        results = self._convert_in(sources, {"memory": "device", **self._decode})
        again = [i for i, one in enumerate(results) if _needs_host(one) and not hasattr(sources[i], "read")]
        if again and "memory" not in self._decode:
            for i, one in zip(again, self._convert_in([sources[i] for i in again], self._decode)):
                results[i] = one
        return results

    def _convert_in(self, sources, decode):
        import kostka

        where = {"device": self._device, "errors": "return"}
        decoded = kostka.decode_batch(sources, **where, **decode)
        images = [one for one in decoded if isinstance(one, kostka.Image)]
        made = iter(kostka.encode_batch(images, **where, **self._encode))
        return [next(made) if isinstance(one, kostka.Image) else one for one in decoded]


def _needs_host(result):
    """Return whether the device failed, or cannot hold an image of so many planes."""
    import kostka

    return isinstance(result, kostka.DeviceError) or (
        isinstance(result, kostka.KostkaError) and result.status == "ERROR_IMAGE_MEMORY"
    )
