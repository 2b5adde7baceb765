#!/bin/sh
# SPDX-License-Identifier: MIT
# Work that takes 5 % more instructions is noticed, whichever it is, and each record type has its counts of
# both directions.
exec "${PERFDATA_SOURCE:-$(dirname "$0")/../..}/tests/bench/instructions.py" --slower
