/* SPDX-License-Identifier: MIT */
/* dir.h - the members of a directory. */
#ifndef PERFDATA_DIR_H
#define PERFDATA_DIR_H

#include <perfdata/reader.h>

struct pi_input;

extern const char pi_dir_data[]; /* its name in errors of opening it */
/* True for the name of a file that perf reads as records of the directory that it is in. */
bool pi_dir_is_member(const char *name);
/* perf names its files data.0, data.1, ...: such a name is always a member, and comes right behind `data`. */
bool pi_dir_is_numbered(const char *name);
/* Sets r->dir to the path of `data` when `path` is a directory. */
enum pd_code pi_dir_find(struct pd_reader *r, const char *path, struct pd_error *error);
/*
 * Copies the damage that the reader of member i found to the findings of the recording's reader, once,
 * however often it was read. Errors: PD_ENOMEM.
 */
enum pd_code pi_dir_take_findings(struct pd_reader *r, const struct pd_reader *member,
                                  struct pd_error *error);
/* Lists the members of the directory. */
enum pd_code pi_dir_list(struct pd_reader *r, struct pd_error *error);
/* Goes on with the records of member i. */
enum pd_code pi_dir_enter(struct pd_reader *r, size_t i, struct pd_error *error);
/* Opens member i of the recording `r` for `in`, which is new. */
enum pd_code pi_dir_open_member(const struct pd_reader *r, size_t i, struct pi_input *in, size_t window,
                                struct pd_error *error);
/* The DIR_FORMAT feature with a version, and the version; NULL: there is none, or it is empty. */
const struct pd_feature_section *pi_dir_version(struct pd_reader *r, uint64_t *version);
/*
 * Gives `file`, which may be NULL, each regular file beneath the directory that is no member (kcore_dir),
 * open for reading, and its path from there. *left receives how many it did not get: links and others, those
 * deeper than 8 folders, and all if it is NULL. Not a directory: nothing.
 */
typedef enum pd_code pi_dir_file(void *user, const char *name, unsigned mode, int fd, struct pd_error *error);
enum pd_code pi_dir_each_file(const struct pd_reader *r, pi_dir_file *file, void *user, uint64_t *left,
                              struct pd_error *error);
void pi_dir_free(struct pd_reader *r);

#endif
