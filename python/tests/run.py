# SPDX-License-Identifier: BSD-2-Clause
"""Run the tests of a module beside this file; exit 77 where all of them were skipped."""

import sys
import unittest


def main():
    tests = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    if not result.wasSuccessful() or result.testsRun == 0:
        return 1
    for reason in sorted({reason for _, reason in result.skipped}):
        print("skipped:", reason)
    return 77 if len(result.skipped) >= result.testsRun else 0


if __name__ == "__main__":  # processes that a test starts import this file
    sys.exit(main())
