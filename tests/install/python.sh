#!/usr/bin/env bash
# The module of Python over an installed shared library: built without warnings, then python/tests.
# Where mypy is, also its types.
. "$(dirname "$0")/../cli/frame_lib.sh"
: "${PERFDATA_SOURCE:?}" "${PERFDATA_BUILD:?}"
cache() { sed -n "s/^$1:[A-Z]*=//p" "$PERFDATA_BUILD/CMakeCache.txt"; }
[[ $(cache CMAKE_C_FLAGS) != *-fsanitize=* ]] || skip 'sanitizers are in programs alone'
[ -z "$(cache CMAKE_CROSSCOMPILING_EMULATOR)" ] || skip 'Python is of another machine'
python=/usr/bin/python3 # of which Debian has the modules
"$python" -c 'import cffi, numpy, pytest' 2>/dev/null || skip 'no cffi, numpy or pytest'
generator=(-G Ninja)
command -v ninja >/dev/null || generator=()
cmake "${generator[@]}" -S "$PERFDATA_SOURCE" -B build -DBUILD_SHARED_LIBS=ON -DPERFDATA_PYTHON=ON \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DPERFDATA_BUILD_TESTS=OFF -DPERFDATA_CLI=OFF -DPERFDATA_TEXT=OFF \
    -DPERFDATA_REDACT=OFF -DPython3_EXECUTABLE="$python" \
    -DCMAKE_INSTALL_PREFIX="$PWD/root" \
    -DCMAKE_INSTALL_LIBDIR=lib >log 2>&1 || fail "$(tail -n 20 log)"
cmake --build build -j 2 >log 2>&1 || fail "$(tail -n 20 log)"
! grep -i warning log || fail 'warnings'
cmake --install build >log || fail "$(tail -n 5 log)"
export LD_LIBRARY_PATH=$PWD/root/lib PYTHONPATH=$PWD/root/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1
"$python" -W error -m pytest -q -p no:cacheprovider --basetemp "$PWD/pytest" "$PERFDATA_SOURCE/python/tests" \
    >log 2>&1 || fail "$(grep -E '^(E |FAILED|ERROR|[0-9]+ )' log | head -n 40)"
grep -q ' passed' log || fail "$(tail -n 5 log)"
if command -v mypy >/dev/null; then
    cat >user.py <<'END_OF_PYTHON'
import perfdata
from perfdata import records


def sizes(path: str) -> list[int]:
    try:
        with perfdata.open(path) as recording:
            samples = [r for r in recording if isinstance(r, records.Sample)]
    except perfdata.Failed as why:
        return [why.errno] if why.code == perfdata.Code.EIO else []
    return [len(s.raw) + (s.raw_.size or 0 if s.raw_ else 0) for s in samples]
END_OF_PYTHON
    MYPYPATH=$PYTHONPATH mypy --no-incremental --ignore-missing-imports --python-executable "$python" \
        -p perfdata -m user >log 2>&1 || fail "$(head -n 20 log)"
fi
