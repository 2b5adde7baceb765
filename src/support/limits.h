/* SPDX-License-Identifier: MIT */
/*
 * limits.h - the limits that guard against hostile input, each once. (Not the limits.h of the C library.)
 *
 * The code uses a limit as PI_LIMIT_NAME, an integer constant. The table in SECURITY.md is printed from here;
 * the test generated/SECURITY.md compares the two.
 *
 * To add a limit: add a row (below the ones of its kind), use PI_LIMIT_NAME where it is checked, and run
 * `cmake --build BUILD --target regen`, which writes the table in SECURITY.md. A row is
 *
 *     X(NAME, value, unit, what it bounds, what happens beyond it, where it can be changed)
 *
 * unit: BYTES, printed as KiB, MiB or GiB if that is a whole number, or COUNT. The texts are Markdown; an
 * empty last one means that the limit is fixed. A value is at most INT_MAX, so that the constants are of type
 * int.
 */
#ifndef PERFDATA_LIMIT_TABLE_H
#define PERFDATA_LIMIT_TABLE_H

#define PI_LIMITS(X)                                                                                         \
    /* Reading */                                                                                            \
    X(INFLATED, 256 << 20, BYTES, "what one COMPRESSED record may make; it is made a block at a time",       \
      "`PD_ELIMIT`", "`max_inflate` of `pd_reader_options`")                                                 \
    X(ZSTD_WINDOW, 128 << 20, BYTES, "window that a zstd frame may ask for (zstd's level 22 does)",          \
      "`PD_ELIMIT`", "`max_window` of `pd_reader_options`")                                                  \
    X(READER_HELD, 256 << 20, BYTES,                                                                         \
      "of a file on a pipe: the bytes before its data, and those behind it, held in memory", "`PD_ELIMIT`",  \
      "`max_held` of `pd_reader_options`")                                                                   \
    X(LARGE_RECORD, 256 << 20, BYTES, "a record of simpleperf that comes in parts", "`PD_ELIMIT`",           \
      "`max_bytes` of `pd_large_parts`")                                                                     \
    X(HASH_DISTANCE, 128, COUNT,                                                                             \
      "places between an entry of a hash table and where its number would put it",                           \
      "a key is drawn, and all entries are placed anew", "")                                                 \
    /* Metadata, tasks and mappings */                                                                       \
    X(METADATA, 256 << 20, BYTES, "features, names of events and build ids that are kept", "a finding",      \
      "`max_bytes` of `pd_metadata_options`")                                                                \
    X(FINDINGS, 65536, COUNT, "findings about features that are kept",                                       \
      "the last one says that there are more", "")                                                           \
    X(TOPOLOGIES, 16, COUNT, "times that CPU_TOPOLOGY follows another NRCPUS", "a finding", "")              \
    X(EVENT_NAME, 511, BYTES, "the names of system and event in the tracing data, for the name of an event", \
      "the event has no name; a finding", "")                                                                \
    X(FORMAT_FIELDS, 1024, COUNT, "fields of a tracepoint", "the rest counts as lines that cannot be read",  \
      "")                                                                                                    \
    X(FIELDS_SHOWN, 4096, BYTES,                                                                             \
      "names and bytes of the fields of a tracepoint that are shown for a sample, besides the multiple "     \
      "below: all fields may "                                                                               \
      "claim the same bytes",                                                                                \
      "how many are left out is told (`...=3`)", "")                                                         \
    X(FIELDS_TIMES, 16, COUNT, "multiple of the raw bytes of a sample, added to the limit above",            \
      "the same", "")                                                                                        \
    X(NAME_SHOWN, 255, BYTES, "the name of a task or an event in a line of `dump -F`", "it ends in `...`",   \
      "")                                                                                                    \
    X(BPF_NAME, 511, BYTES,                                                                                  \
      "the name of a BPF function in `info -I`, as in the kernel; many may be the same text",                \
      "`...` follows what is shown", "")                                                                     \
    X(TASKS, 1 << 30, BYTES,                                                                                 \
      "memory for tasks: about 60 bytes for each COMM and FORK, also of compressed records, and 100 "        \
      "for each tid; `info --tasks` needs less, and so does `split` of up to 64 pieces; of more it takes "   \
      "up to 60 bytes more, unless that is beyond the limit",                                                \
      "`PD_ELIMIT`", "`pd_tasks_limit()`")                                                                   \
    X(SESSION, 1 << 30, BYTES, "memory of a session for mappings, and for cgroups and namespaces",           \
      "`PD_ELIMIT`", "`memory` of `pd_session_options`")                                                     \
    X(ENDED, 1024, COUNT, "processes whose mappings a session keeps after they have ended",                  \
      "the mappings of the process that ended first are dropped", "`exited` of `pd_session_options`")        \
    X(MODULE_NAME, 200, BYTES, "the name of a module of the kernel, in brackets", "it ends there", "")       \
    X(REPORT, 1 << 30, BYTES, "rows and names of a report", "`PD_ELIMIT`",                                   \
      "`memory` of `pd_report_options`")                                                                     \
    /* Writing and the operations */                                                                         \
    X(ATTR, 65520, BYTES, "an attr", "`PD_ELIMIT`; of `attr_size` of `pd_writer_options` `PD_EARG`", "")     \
    X(ATTR_TABLE, 64 << 20, BYTES,                                                                           \
      "zeros behind attrs of a file, whose entries are all as large as the largest, besides the multiple "   \
      "below",                                                                                               \
      "`PD_ELIMIT`", "")                                                                                     \
    X(ATTR_TABLE_TIMES, 16, COUNT, "multiple of the bytes of these attrs, added to the limit above",         \
      "`PD_ELIMIT`", "")                                                                                     \
    X(ATTR_CHANGED, 4096, BYTES,                                                                             \
      "an attr whose size or fields are to change; the kernel takes no larger one", "an error", "")          \
    X(WRITER_HELD, 256 << 20, BYTES, "features that wait in the writer", "`PD_ELIMIT`",                      \
      "`max_held` of `pd_writer_options`")                                                                   \
    X(CONVERT_HELD, 256 << 20, BYTES, "features and tracing data that a conversion, filter or merge holds",  \
      "`PD_ELIMIT`", "`max_held` of `pd_convert_options`")                                                   \
    X(PROVEN, 256 << 20, BYTES, "a feature that is held to decode it, which shows whether it is damaged",    \
      "it is compared or copied in pieces, not decoded, which `check` tells", "")                            \
    X(HASHED, 256 << 20, BYTES, "a feature that is hashed by its fields",                                    \
      "a finding; the feature is left out", "`max_feature` of `pd_hash_options`")                            \
    X(HASH_HELD, 16 << 20, BYTES, "CPU_TOPOLOGY features that `hash` keeps until NRCPUS has come",           \
      "the rest is hashed with the number of cpus known so far", "")                                         \
    X(CMP_AHEAD, 4096, COUNT, "records of each recording that `cmp` looks ahead to for the next equal ones", \
      "what is between counts as different", "")                                                             \
    X(CMP_AHEAD_BYTES, 4 << 20, BYTES, "the same records", "the same", "")                                   \
    X(FILTER_NOTES, 8 << 20, BYTES, "what the first pass of `filter` notes about records",                   \
      "the rest is selected again when it is copied", "")                                                    \
    X(FILTER_NOTED, 4 << 20, BYTES, "short records among these notes", "the rest is read again", "")         \
    X(MERGE_UNITS, 16, COUNT, "events with the same attr that `merge` compares with one of another input",   \
      "an event of its own", "")                                                                             \
    X(EXPORT_DEFERRED, 4096, COUNT, "samples of `export` that wait for the rest of their callchain",         \
      "the oldest is written without it", "")                                                                \
    X(PIECE_HELD, 256 << 20, BYTES, "payload that each piece of `split` must carry", "`PD_ELIMIT`", "")      \
    X(PIECES_NEEDS, 1 << 18, COUNT, "tasks that pieces of `split` need, that are remembered",                \
      "each `at_once` pieces take one reading more", "")                                                     \
    X(PIECES_AT_ONCE, 1024, COUNT, "pieces of `split` that are written in one reading of the input",         \
      "more readings", "`at_once` of `pd_pieces_options`, open files")                                       \
    X(PIECES_COPIED, 64 << 20, BYTES,                                                                        \
      "copies in all pieces of `split` together: features, and records of states, besides "                  \
      "the multiple below",                                                                                  \
      "`PD_ELIMIT`", "`max_copied` of `pd_pieces_options`, `--max-copied`")                                  \
    X(PIECES_COPIED_TIMES, 64, COUNT, "multiple of the size of the input, added to the limit above",         \
      "`PD_ELIMIT`", "the same")                                                                             \
    X(REPAIR_HEAD, 256 << 20, BYTES, "the bytes before the data in the recording of `repair --like`",        \
      "the recording is refused", "")                                                                        \
    X(REPAIR_SEARCH, 64 << 20, BYTES,                                                                        \
      "the end of a damaged file in which `repair` looks for the table of features",                         \
      "no table is found before that", "")                                                                   \
    X(REPAIR_RECORDS, 65536, COUNT, "records in which `repair --like` looks for an ID_INDEX",                \
      "the ids of the other recording are kept", "")                                                         \
    X(REPAIR_SAMPLES, 4096, COUNT, "samples by which `repair` judges attrs", "the rest is not looked at",    \
      "")                                                                                                    \
    X(REPAIR_LOST, 4096, COUNT,                                                                              \
      "ranges lost behind the last COMPRESSED record that `repair` tells behind what that one loses",        \
      "as many come before it", "")                                                                          \
    X(INDEX_BLOCKS, 1 << 20, COUNT, "blocks of an index, each of 256 KiB of records or more",                \
      "`PD_ELIMIT`; larger blocks are fewer: `--block`", "")                                                 \
    X(INDEX_TASKS, 1 << 24, COUNT, "pairs of pid and tid of the samples of a recording that gets an index",  \
      "`PD_ELIMIT`", "")                                                                                     \
    X(INDEX_HELD, 64 << 20, BYTES, "records of a block that wait to be copied into the index",               \
      "the block is not in the index, and is always read", "")                                               \
    X(SORT_MEMORY, 16 << 20, BYTES, "records and hashes that wait to be put in order",                       \
      "temporary files hold the rest", "`memory` of the options")                                            \
    X(SORT_AHEAD, 8 << 20, BYTES, "records that are looked at ahead of their reader",                        \
      "the rest is read twice", "`window` of the reader's options")                                          \
    X(MERGE_MEMORY, 64 << 20, BYTES, "the same in `merge`, and in `sort` of the command", "the same",        \
      "`memory` of the options, `--memory`")                                                                 \
    X(REPORT_KEYS, 8, COUNT, "keys of a report", "`PD_EARG`; status 2", "")                                  \
    X(GEN_EVENTS, 64, COUNT, "events that `gen` makes", "`PD_EARG`; status 2", "")                           \
    X(GEN_CPUS, 1024, COUNT, "cpus that `gen` makes", "the same", "")                                        \
    X(GEN_TASKS, 65536, COUNT, "tasks that `gen` makes", "the same", "")                                     \
    X(GEN_DEPTH, 1000, COUNT, "frames of a callchain that `gen` makes", "the same", "")                      \
    X(GEN_LINE, 16, COUNT, "words in a line of a description for `gen`", "`PD_EVALUE`; status 2", "")        \
    X(GEN_PROCESSES, 63, COUNT, "processes in it", "the same", "")                                           \
    X(GEN_FUNCTIONS, 448, COUNT, "functions in it", "the same", "")                                          \
    X(GEN_FILES, 64, COUNT, "different files in it", "the same", "")                                         \
    X(GEN_COPIES, 4096, COUNT, "copies of a process in it, and threads of one", "the same", "")              \
    X(GEN_PERIOD, 1000000000, COUNT, "frequency or period of an event in it", "the same", "")                \
    X(GEN_RATE, 100000000, COUNT, "samples a second in it", "the same", "")                                  \
    X(EXPORT_CHANGES, 1 << 20, COUNT,                                                                        \
      "times at which the names or mappings of tasks change, that `export` notes; two lists",                \
      "each sample is put in order and resolved by itself, which takes longer", "")                          \
    X(EXPORT_ALIKE, 1 << 17, COUNT, "different samples that `export` counts before it orders them",          \
      "one takes the place of another, which takes longer", "")                                              \
    X(EXPORT_BRANCHES, 1 << 18, COUNT, "the same of branches", "the same", "")                               \
    X(EXPORT_PROCESSES, 1 << 16, COUNT, "processes that `export` tells apart by numbers",                    \
      "it gives new ones, and looks up again what it had found", "")                                         \
    X(EXPORT_RANGE, 1 << 20, BYTES,                                                                          \
      "a range of instructions of `--to autofdo`; the hardware records longer ones by mistake",              \
      "it is left out, as AutoFDO does", "")                                                                 \
    X(EXPORT_MEMORY, 64 << 20, BYTES, "different stacks of `export` in memory",                              \
      "temporary files hold the rest", "`memory` of `pd_export_options`, `--memory`")                        \
    X(EXPORT_NAMES, 256 << 20, BYTES,                                                                        \
      "different names of tasks, files, events and functions in `export`, each; its frames; branches of a "  \
      "file",                                                                                                \
      "`PD_ELIMIT`", "")                                                                                     \
    X(EXPORT_STACK, 65528, BYTES, "a stack in `export`, which takes 2 to 15 bytes for each frame",           \
      "its outermost frames are left out, which is told", "")                                                \
    X(EXPORT_WAITING, 16 << 20, BYTES, "samples of `export` that wait for their deferred call chain",        \
      "the oldest ones are taken without it, which is told", "")                                             \
    X(EXPORT_FIELDS, 1024, COUNT, "columns of fields that are asked for in `export`", "`PD_EARG`; status 2", \
      "")                                                                                                    \
    X(PARQUET_ROWS, 122880, COUNT, "rows in a group of Parquet", "the next group begins", "")                \
    X(PARQUET_GROUP, 512 << 20, BYTES, "the same, whatever `memory` says", "the same", "")                   \
    X(PARQUET_ENTRIES, 65536, COUNT, "numbers in a dictionary of Parquet", "they are written as they are",   \
      "")                                                                                                    \
    X(EXPORT_SEGMENTS, 64, COUNT, "segments of a binary in `export` that are loaded",                        \
      "addresses of the others are offsets", "")                                                             \
    X(SYMBOLS_TEXT, 256 << 20, BYTES, "a file of symbols", "status 2", "")                                   \
    X(SYMBOLS_ELF, 512 << 20, BYTES, "symbols of a program, their names, and sections of these, each",       \
      "its symbols are left out", "")                                                                        \
    X(SYMBOLS_KERNELS, 1024, COUNT, "places of kernels in memory, one or more a boot",                       \
      "kernels get no names", "")                                                                            \
    X(SYMBOLS_SECTIONS, 65536, COUNT, "sections of a program that are looked at for symbols",                \
      "the others are not looked at", "")                                                                    \
    X(SYMBOLS_LINE, 65535, BYTES, "a line of kallsyms, or of perf-PID.map", "the rest of it is left out",    \
      "")                                                                                                    \
    X(SYMBOLS_LINK, 4095, BYTES, "the section of a program that names its file of symbols",                  \
      "that file is not looked for", "")                                                                     \
    X(SYMBOLS_INLINED, 32, COUNT, "functions that are inlined in one another at an address",                 \
      "the outermost ones are left out", "")                                                                 \
    X(SYMBOLS_NAME, 4096, BYTES, "the name of a function as linkers have it, and as its source has it",      \
      "it stays as linkers have it, of C++ beyond 1 KiB; `export` and `report` take so much of a longer "    \
      "one",                                                                                                 \
      "")                                                                                                    \
    /* The command */                                                                                        \
    X(ELF_NOTES, 64 << 10, BYTES, "a segment of notes in which a build id is looked for",                    \
      "the rest is not looked at", "")                                                                       \
    X(NAMES_COMPARED, 16, COUNT, "names that match nothing and are told with the nearest one",               \
      "further ones are told without it", "")                                                                \
    X(TEXT_LINE, 16 << 20, BYTES, "a line of text for `encode`", "status 3", "")                             \
    X(QUICK_LINE, 1 << 20, BYTES, "a line that `encode` reads straight from its text",                       \
      "the JSON library reads the line", "")                                                                 \
    X(TEXT_ATTRS, 1 << 20, COUNT, "attrs in a text for `encode`", "status 3", "")                            \
    X(TEXT_PAYLOAD, 64 << 20, BYTES, "payload in a short text for `encode` whose size is to be computed",    \
      "status 3", "")                                                                                        \
    X(DECODE_DEPTH, 8, COUNT, "directories inside each other of which `decode` makes text",                  \
      "what is deeper is named, not printed", "")                                                            \
    X(EXPRESSION, 4096, BYTES, "an expression of `filter`, as in the kernel", "status 2", "")                \
    X(EXPRESSION_DEPTH, 100, COUNT, "its parentheses and `!` in one another", "status 2", "")                \
    X(GEN_TEXT, 1 << 20, BYTES, "a description for `gen`", "status 2", "")                                   \
    X(GEN_PATH, 127, BYTES, "a path in it", "status 2", "")                                                  \
    X(GEN_FUNCTION, 39, BYTES, "the name of a function in it", "status 2", "")                               \
    X(GEN_EVENT, 63, BYTES, "the name of an event in it", "status 2", "")                                    \
    X(REDACT_KEY, 64 << 10, BYTES, "a key for `redact`", "status 2", "")                                     \
    X(EDIT_FEATURE, 256 << 20, BYTES, "a feature that `edit` takes from a file", "status 2", "")             \
    X(THREADS, 16, COUNT, "threads that the command starts", "no more are started", "")                      \
    X(AHEAD, 4, COUNT, "recordings that threads decompress at the same time",                                \
      "of more, the main thread decompresses all", "")                                                       \
    X(THREADS_ASKED, 1024, COUNT, "threads that `-j` may ask for", "status 2", "")                           \
    X(TOLD_ONCE, 65536, COUNT, "messages about damage that are told only once",                              \
      "later ones are told each time", "")                                                                   \
    X(FINDINGS_TOLD, 10, COUNT,                                                                              \
      "findings, or lost places, that a verb tells; `check`, `info` and `filter` tell all damage",           \
      "the rest is counted", "")                                                                             \
    X(UNTOUCHED, 4096, COUNT, "events of which `redact` knows which samples it need not decode",             \
      "it decodes the samples of others", "")                                                                \
    X(TYPES_NOTED, 64, COUNT,                                                                                \
      "types of records of which each has its count, where a conversion leaves out or cannot convert them",  \
      "records of further types are counted together", "")                                                   \
    X(MERGE_NOTES, 256, COUNT, "different notes about features that `merge` tells", "the rest is not told",  \
      "")                                                                                                    \
    X(LEAKS_TOLD, 20, COUNT, "leaks that `redact --prove` tells", "the rest is counted", "")                 \
    X(DAMAGE_LISTED, 64, COUNT, "places of damage that `info --json` lists", "the rest is left out", "")     \
    X(DIRECTORY_FILES, 1024, COUNT, "files of a directory that are written at a time", "status 4", "")       \
    X(COPY_DEPTH, 8, COUNT, "directories inside each other that `convert` copies along",                     \
      "what is deeper is named, not copied", "")                                                             \
    X(CMP_DEPTH, 16, COUNT, "directories inside each other that `cmp` looks into",                           \
      "what is deeper is compared by its name", "")                                                          \
    X(PLAIN_DEPTH, 32, COUNT, "JSON values inside each other that the quick parser of `encode` takes",       \
      "the JSON library reads the line", "")                                                                 \
    X(GEN_WEIGHTS, 256, COUNT, "weights of record types for `gen`", "status 2", "")                          \
    X(BENCH_COMMANDS, 64, COUNT, "commands for `bench`", "status 2", "")                                     \
    X(BENCH_COMMAND, 40000, BYTES, "a command of `bench`, with its input and its output", "it fails", "")    \
    X(BENCH_REPEAT, 1000, COUNT, "repetitions of `bench`", "status 2", "")

#define PI_LIMIT_CONSTANT_(name_, value_, unit_, bounds_, more_, change_) PI_LIMIT_##name_ = (value_),
enum { PI_LIMITS(PI_LIMIT_CONSTANT_) };
#undef PI_LIMIT_CONSTANT_

#endif
