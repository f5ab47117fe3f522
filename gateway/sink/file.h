// Files, and standard output: one JSON object a line.
#ifndef IBTRAPD_SINK_FILE_H
#define IBTRAPD_SINK_FILE_H

#include "sink/sink.h"

enum file_fsync {
    FILE_FSYNC_NONE, // an event is done when the kernel has its line
    FILE_FSYNC_EACH, // when its line is on the disk; those that wait together are synced together
};

struct file_options {
    const char *path; // "-": standard output, where fsync means nothing
    enum file_fsync fsync;
};

// Fills `out`. The path stays the caller's and outlives the receiver. False when memory is short.
//
// The file is made when it is missing, for its owner to write and its group to read, and opened
// anew with the next event after `reopen`. A line that cannot be written whole is taken back; one
// that somebody else left unfinished is ended first. SIGPIPE is blocked or ignored in the
// receiver's thread.
bool file_sink(struct sink *out, const char *name, const struct file_options *options,
               struct error *err);

#endif
