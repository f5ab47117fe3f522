// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "ctl/client.h"
#include "ctl/progress.h"
#include "ctl/protocol.h"
#include "journal/store.h"
#include "model/event_record.h"
#include "sink/format.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Reads so many rows, then writes the rows. A pager pauses the output, and must not keep ibtrapd
// from writing the file meanwhile.
enum { EXPORT_CHUNK = 100 };

// Closes the file. False with a sentence: the file changed during the reading, and the rows read
// are not valid.
static bool journal_commands_finish(struct store *store, bool ok, struct error *err)
{
    bool still = store_stood_still(store, err);
    store_close(store);
    return still && ok;
}

// Shows how much of the file has been read. The task reads the file `times` times.
static struct progress *journal_commands_show_progress(const char *what, struct store *store,
                                                       int times)
{
    struct store_size size = {0};
    struct error no_size; // only the time is shown then
    store_get_size(store, &size, &no_size);
    return progress_begin(&(struct progress_task){
        .what = what, .total = times * size.bytes, .done = progress_octets_read});
}

// SQLite reads the file twice: its trees, and then their rows.
enum command_outcome journal_commands_check(const struct arguments *a, struct error *err)
{
    static const struct show_form FORM = {.head = "The journal {file} is sound.\n"};
    struct store *store;
    if (store_examine(a->file, &store, err) != STORE_OK)
        return COMMAND_REFUSED;
    struct progress *progress = journal_commands_show_progress("checking the journal", store, 2);
    bool sound = store_check(store, err) == STORE_OK;
    progress_end(progress);
    return command_outcome(
        journal_commands_finish(store, sound, err) &&
        request_command_write(
            a, &FORM,
            json_pack("{s:i, s:s, s:b}", "version", PROTOCOL_VERSION, "file", a->file, "sound", 1),
            err));
}

static const struct show_form JOURNAL_STATS = {
    .head = "Events     {events} ({first} to {last})\n"
            "Oldest     [events?{oldest@}|-]\n"
            "Alarms     {alarms} active\n"
            "Snapshots  {snapshots} of the fabric, {snapshot_bytes} bytes\n"
            "Size       {bytes} bytes\n"};

static bool journal_command_show_stats(const struct arguments *a, const struct store_size *size,
                                       int64_t alarms, struct error *err)
{
    char oldest[CLOCK_TEXT_SIZE] = "-";
    if (size->rows > 0)
        clock_format_utc(size->oldest_us, oldest);
    json_t *all =
        json_pack("{s:i, s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:I}", "version", 1, "events",
                  (json_int_t)size->rows, "first", (json_int_t)size->first, "last",
                  (json_int_t)size->last, "bytes", (json_int_t)size->bytes, "oldest", oldest,
                  "alarms", (json_int_t)alarms, "snapshots", (json_int_t)size->snapshots,
                  "snapshot_bytes", (json_int_t)size->snapshot_bytes);
    return request_command_write(a, &JOURNAL_STATS, all, err);
}

enum command_outcome journal_commands_stats(const struct arguments *a, struct error *err)
{
    struct store *store;
    struct store_size size;
    int64_t alarms;
    if (store_examine(a->file, &store, err) != STORE_OK)
        return COMMAND_REFUSED;
    bool ok = store_get_size(store, &size, err) == STORE_OK &&
              store_count_alarms(store, &alarms, err) == STORE_OK;
    ok = journal_commands_finish(store, ok, err) &&
         journal_command_show_stats(a, &size, alarms, err);
    return command_outcome(ok);
}

struct export
{
    struct text lines;
    int64_t after;
    size_t rows;
    bool failed;
    struct error *err;
};

static bool journal_command_export_row(void *ctx, const struct store_row *row)
{
    struct export *e = ctx;
    e->after = row->sequence;
    e->rows++;
    struct event *event = event_record_read(row->record, row->record_size, e->err);
    if (!event) {
        error_prefix(e->err, "event %" PRId64, row->sequence);
        e->failed = true;
        return false;
    }
    char buffer[FORMAT_SIZE + 1];
    struct text t = text_in(buffer, FORMAT_SIZE);
    format_line(&t, FORMAT_JSON, &(struct format_origin){.hostname = "-", .process_id = "-"},
                event);
    event_unref(event);
    text_add(&e->lines, buffer);
    text_add(&e->lines, "\n");
    return true;
}

static bool journal_command_export_all(struct store *store, FILE *out, int64_t after,
                                       struct error *err)
{
    enum { LINES_SIZE = EXPORT_CHUNK * (FORMAT_SIZE + 1) + 1 };
    char *lines = memory_get(LINES_SIZE);
    struct export e = {.after = after, .err = err};
    bool ok = true;
    do {
        e.rows = 0;
        e.lines = text_in(lines, LINES_SIZE);
        ok = store_read(store, STORE_AFTER, e.after, EXPORT_CHUNK, journal_command_export_row, &e,
                        err) == STORE_OK &&
             !e.failed;
        if (e.lines.len > 0 && fputs(lines, out) < 0)
            ok = error_set(err, "cannot write");
    } while (ok && e.rows > 0);
    free(lines);
    return ok;
}

enum command_outcome journal_commands_export(const struct arguments *a, struct error *err)
{
    long long after = 0;
    struct store *store;
    if (a->count == 1 && !arguments_read_number(a->words[0], &after))
        return COMMAND_WRONG_USAGE;
    if (store_examine(a->file, &store, err) != STORE_OK)
        return COMMAND_REFUSED;
    struct progress *progress = isatty(fileno(a->out))
                                    ? NULL // the events themselves show it
                                    : journal_commands_show_progress("exporting", store, 1);
    bool ok = journal_command_export_all(store, a->out, after, err);
    progress_end(progress);
    return command_outcome(journal_commands_finish(store, ok, err));
}

static int64_t journal_commands_deleted(const void *ctx)
{
    return atomic_load((const _Atomic int64_t *)ctx);
}

// Waits until the daemon has deleted the events, and shows the number of deleted events so far.
// False with a sentence: the daemon cannot do it now.
static bool journal_commands_await_prune(const char *socket, struct error *err)
{
    static const struct timespec PAUSE = {.tv_nsec = 200000000};
    _Atomic int64_t deleted = 0;
    long long first = 0;
    bool ok = true, runs = true, durable = true;
    struct progress *progress =
        progress_begin(&(struct progress_task){.what = "deleting old events",
                                               .done = journal_commands_deleted,
                                               .ctx = &deleted,
                                               .unit = "events"});
    while (ok && runs && durable) {
        json_t *status = client_request_idly(socket, "status", json_object(), NULL, err);
        const json_t *journal = json_object_get(status, "journal");
        ok = status != NULL;
        runs = json_is_true(json_object_get(journal, "pruning"));
        durable = json_is_true(json_object_get(journal, "durable"));
        first = first == 0 ? member_count(journal, "first") : first;
        atomic_store(&deleted, member_count(journal, "first") - first);
        json_decref(status);
        if (ok && runs && durable)
            nanosleep(&PAUSE, NULL);
    }
    progress_end(progress);
    return ok && (durable || error_set(err, "ibtrapd deletes them once it can write the journal's "
                                            "file; 'ibtrapctl status' says what is wrong"));
}

enum command_outcome journal_commands_prune(const struct arguments *a, struct error *err)
{
    const enum command_outcome outcome = request_command_run(a, err);
    if (outcome != COMMAND_DONE)
        return outcome;
    const bool waits = isatty(STDERR_FILENO);
    if (waits && !journal_commands_await_prune(a->socket, err))
        return COMMAND_REFUSED;
    if (!a->json)
        fprintf(a->out, "ibtrapd %s events older than %lld days that every receiver has.\n",
                waits ? "deleted the" : "deletes", strtoll(a->words[0], NULL, 10));
    return COMMAND_DONE;
}
