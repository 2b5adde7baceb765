#!/usr/bin/env bash
# judges.sh - the functions of `perfdata symbols` are those of eu-addr2line: of node, of libraries, and of a
# program in C++. Needs perf record.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
perfdata=${PERFDATA:?the perfdata executable}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >work.cc <<'END'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace work {
template <class T> __attribute__((noinline)) T sum(const std::vector<T> &v)
{
    T all = 0;
    for (T one : v)
        all += one;
    return all;
}
}
int main()
{
    std::map<std::string, unsigned> names;
    std::vector<unsigned> v(3000);
    unsigned all = 0;
    for (int r = 0; r < 300; r++) {
        for (unsigned i = 0; i < v.size(); i++)
            v[i] = (v[i] + i * 7919) % 10007;
        std::sort(v.begin(), v.end());
        all += work::sum(v);
        names[std::to_string(all)]++;
    }
    return names.size() == 0;
}
END
cat >work.js <<'END'
const start = Date.now(); let sum = 0
while (Date.now() - start < 1000) sum += JSON.stringify([sum, start]).length
END
c++ -O1 -fno-omit-frame-pointer -o work work.cc
for command in ./work 'node work.js'; do
    # shellcheck disable=SC2086
    perf record -q -g -e cpu-clock -F 4999 -o x.data -- $command >log 2>&1
    "$perfdata" symbols -f -o x.syms x.data
    "$here/addr2line.py" x.syms
done
