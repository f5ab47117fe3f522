# SPDX-License-Identifier: BSD-2-Clause
"""Makes the lab available to tests of an installed ibtrapd."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
