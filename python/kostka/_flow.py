# SPDX-License-Identifier: BSD-2-Clause
"""Flows: many streams on their way through the library's threads and devices, as an iterator."""

_END = object()


class Flow:
    """The results of flow(): an iterator, an asynchronous iterator, and a context manager that closes it.

    Only one thread or task at a time may wait for the next result.
    """

    def __init__(self, flow):
        self._flow = flow

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._flow)

    def __aiter__(self):
        return self

    async def __anext__(self):
        import asyncio

        result = await asyncio.get_running_loop().run_in_executor(None, next, self._flow, _END)
        if result is _END:
            raise StopAsyncIteration
        return result

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        """Take no more streams, and drop the results that are still to come."""
        self._flow.close()

    def counts(self):
        """How many streams came (items), are done, have failed, and were moved from a device that failed, as a dict."""
        return self._flow.counts()
