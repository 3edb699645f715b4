# SPDX-License-Identifier: BSD-2-Clause
"""Coding in pipelines of Ray Data. Importing this needs NumPy, but not Ray.

    import ray, kostka.ray
    pictures = ray.data.read_binary_files("scans", include_paths=True)
    coded = pictures.map_batches(kostka.ray.Coder, fn_constructor_kwargs={"encode": {"codec": "jp2", "ratio": 20}},
                                 batch_size=64, concurrency=1, num_gpus=1)
    coded.write_parquet("coded")

The number of actors must leave Ray's readers a processor: an actor pool as large as num_cpus waits for ever.
"""

import numpy

import kostka


class Coder:
    """An actor for map_batches(): replaces a column of streams by what is made of them, and adds one of errors.

    column: the column with the streams: 'bytes' of read_binary_files(), 'jpg' of read_webdataset()
    result: the name of the new column; the same as `column` by default, 'image' where streams are decoded to arrays
    error: the name of the column with the text of what failed, which is None where nothing did; None where `result` is
    decode, encode, transcode, device: as for kostka.Coder
    """

    def __init__(self, column="bytes", result=None, error="error", **options):
        self._coder = kostka.Coder(**options)
        self._column, self._error = column, error
        decodes = options.get("encode") is None and options.get("transcode") is None
        self._result = result or ("image" if decodes else column)

    def __call__(self, batch):
        results = self._coder(bytes(one) for one in batch[self._column])
        made = numpy.empty(len(results), dtype=object)
        errors = numpy.empty(len(results), dtype=object)
        for i, one in enumerate(results):
            if isinstance(one, kostka.KostkaError):
                errors[i] = str(one)
            else:
                made[i] = numpy.array(one) if isinstance(one, kostka.Image) else one
        kept = {name: values for name, values in batch.items() if name != self._column}
        return {**kept, self._result: made, self._error: errors}
