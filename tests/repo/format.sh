#!/usr/bin/env bash
# No line of a text file has more than 110 columns, but for the exceptions below. Sources are as clang-format
# 14 (Debian 12) makes them by .clang-format, but for those that are generated. No function has a verb alone
# for a name. Scripts of tests can be executed.
set -euo pipefail
cd "${PERFDATA_SOURCE:-$(dirname "$0")/../..}"
fail() {
    echo "FAILED: $*"
    exit 1
}
files() {
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files
    else
        find . -type f ! -path './build*' | sed 's,^\./,,'
    fi
}
mapfile -t all < <(files)

python3 - "${all[@]}" <<'END' || fail 'lines of more than 110 columns'
import re
import sys

COLUMNS = 110  # characters, not bytes
# Files, lines and why these may be longer: both are regular expressions.
EXCEPTIONS = [
    (r"include/perfdata/(constants|records|visitor)\.h", "", "generated from the schema"),
    (r"docs/FORMAT\.md|docs/man/perfdata\.5", "", "generated from the schema"),
    (r"docs/(bench|memory)\.svg", "", "drawn by bench/run"),
    (r"corpus/conformance/.*\.jsonl?", "", "written by corpus/conformance/make, an object a line"),
    (r"fuzz/(seeds|regressions|open)/.*", "", "input that make_seeds or a fuzzer wrote, an object a line"),
    (r"src/schema/.*\.def", r" *[A-Z][A-Z0-9_]* *\(.*", "a table: a field a line"),
    (r"tests/mutation/(operators|reported)\.tsv", "", "names of operators.py, a mutant a line"),
    (r".*\.md", r" *\|.*", "Markdown cannot wrap a row of a table"),
]
used = set()


def excepted(path, line):
    for at, (files, lines, _) in enumerate(EXCEPTIONS):
        if re.fullmatch(files, path) and (not lines or re.fullmatch(lines, line)):
            used.add(at)
            return True
    return False


found, texts = [], 0
for path in sys.argv[1:]:
    try:
        text = open(path, encoding="utf-8").read()
    except (UnicodeDecodeError, OSError):  # data, or a deleted file that git still lists
        continue
    if "\0" in text:
        continue
    texts += 1
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS and not excepted(path, line):
            found.append(f"{path}:{number}: {len(line)}")
found += [f"nothing needs the exception {e[0]!r}" for at, e in enumerate(EXCEPTIONS) if at not in used]
print("\n".join(found[:20]))
sys.exit(1 if found or texts < 700 else 0)
END

# A test that cannot be executed is none (tests/CMakeLists.txt); modules are for others, which name them.
while read -r script; do
    [ -x "$script" ] || fail "it does not run, since it is not executable: $script"
done < <(printf '%s\n' "${all[@]}" | grep -E '^tests/.*/[^/]*\.sh$' | xargs -r grep -l '^#!')

# A name says verb and object.
python3 - "${all[@]}" <<'END' || fail 'functions whose name is a verb alone'
import re
import sys

WORDS = "run|put|tell|see|mark|want|need|look"
NO_TYPES = "return|else|do|case|goto|sizeof|defined|throw|if|while|for|switch"
COMMENT = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|' r"'(?:\\.|[^'\\\n])*'"
# A type or macro, asterisks, and the name, which may be in parentheses or on the next line.
TYPE = rf"\b(?!(?:{NO_TYPES})\b)[A-Za-z_]\w*\b(?:\s+|\s+\*+\n?)"
DECLARED = re.compile(rf"{TYPE}(?:({WORDS})|\(({WORDS})\))\s*\(")


def find_functions(text):
    """The lines and names of what is declared or defined; calls do not count."""
    blank = lambda found: re.sub(r"[^\n]", " ", found.group())
    text = re.sub(COMMENT, blank, text, flags=re.S)
    for found in DECLARED.finditer(text):
        yield text.count("\n", 0, found.end()) + 1, found.group(1) or found.group(2)


found = []
for path in sys.argv[1:]:
    if not re.search(r"\.(c|h|def|cc|cpp|hpp)$", path):
        continue
    try:
        text = open(path, encoding="utf-8").read()
    except (UnicodeDecodeError, OSError):  # data, or a deleted file that git still lists
        continue
    found += [f"{path}:{line}: {name}()" for line, name in find_functions(text)]
print("\n".join(found))

# It can fail, and where it must not.
WRONG = """static void run(void);
PI_WRAPS static unsigned run(void)
__attribute__((noinline)) static void run(void)
    static void put(int n)
static inline struct pd_str *tell(void)
static struct pd_str **tell(void)
static unsigned\nsee(void)
static const char *\nmark(void)
INLINE bool want (int n)
static int (need)(void)
#define look(x) (x)
extern "C" /* of C */ int look(int x);""".replace("\\n", "\n")
RIGHT = """return run(1);
    run(1);
    else\n run(1);
    x = *put(a) + b * put(c) *\n        put(d);
    if (see(a) && !mark(b))
static void (*run)(void);
static void run_all(void (*run)(int n));
static bool is_wanted(struct run *run, size_t want)
// static void run(void)
/* static void put(void) */
text = "static void put(void)";""".replace("\\n", "\n")
if len(list(find_functions(WRONG))) != 12:
    print("not found: some of", WRONG, *find_functions(WRONG))
    sys.exit(1)
if list(find_functions(RIGHT)):
    print("not functions:", *find_functions(RIGHT))
    sys.exit(1)
sys.exit(1 if found else 0)
END

clang-format --version 2>/dev/null | grep -q 'version 14\.' || {
    echo 'clang-format 14 is not installed; lengths of lines are as they should be'
    exit 77
}
generated='^include/perfdata/(constants|records|visitor)\.h$'
mapfile -t sources < <(printf '%s\n' "${all[@]}" | grep -E '\.[ch]$' | grep -vE "$generated")
[ ${#sources[@]} -gt 300 ] || fail "${#sources[@]} sources"
said=$(clang-format --style=file --dry-run --Werror "${sources[@]}" 2>&1) ||
    fail "clang-format makes other lines: $(head -n 5 <<<"$said")"
