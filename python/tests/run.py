# SPDX-License-Identifier: BSD-2-Clause
"""Run the tests of a module beside this file; exit 77 where all of them were skipped."""

import sys
import unittest

tests = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
result = unittest.TextTestRunner(verbosity=2).run(tests)
if not result.wasSuccessful() or result.testsRun == 0:
    sys.exit(1)
sys.exit(77 if len(result.skipped) >= result.testsRun else 0)
