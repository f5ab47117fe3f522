#include "ctl/journal_commands.h"

#include "base/clock.h"
#include "ctl/show.h"
#include "journal/store.h"
#include "model/event_record.h"
#include "sink/format.h"

#include <inttypes.h>
#include <jansson.h>

enum { EXPORT_CHUNK = 1000 };

// What was read of a file that changed meanwhile is worth nothing, be it good or bad.
static bool journal_commands_finish(struct store *store, bool ok, struct error *err)
{
    bool still = store_stood_still(store, err);
    store_close(store);
    return still && ok;
}

bool journal_commands_check(FILE *out, const char *path, struct error *err)
{
    struct store *store;
    if (store_examine(path, &store, err) != STORE_OK)
        return false;
    bool ok = journal_commands_finish(store, store_check(store, err) == STORE_OK, err);
    if (ok)
        fprintf(out, "The journal %s is sound.\n", path);
    return ok;
}

bool journal_commands_stats(FILE *out, const char *path, bool json, struct error *err)
{
    struct store *store;
    struct store_size size;
    int64_t alarms;
    if (store_examine(path, &store, err) != STORE_OK)
        return false;
    bool ok = store_get_size(store, &size, err) == STORE_OK &&
              store_count_alarms(store, &alarms, err) == STORE_OK;
    if (!journal_commands_finish(store, ok, err))
        return false;
    char oldest[CLOCK_TEXT_SIZE] = "-";
    if (size.rows > 0)
        clock_format_utc(size.oldest_us, oldest);
    if (json) {
        json_t *all =
            json_pack("{s:i, s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:I}", "version", 1, "events",
                      (json_int_t)size.rows, "first", (json_int_t)size.first, "last",
                      (json_int_t)size.last, "bytes", (json_int_t)size.bytes, "oldest", oldest,
                      "alarms", (json_int_t)alarms, "snapshots", (json_int_t)size.snapshots,
                      "snapshot_bytes", (json_int_t)size.snapshot_bytes);
        ok = show_json(out, all, err);
        json_decref(all);
        return ok;
    }
    fprintf(out,
            "Events     %" PRId64 " (%" PRId64 " to %" PRId64
            ")\nOldest     %s\nAlarms     %" PRId64 " active\nSnapshots  %" PRId64
            " of the fabric, %" PRId64 " bytes\nSize       %" PRId64 " bytes\n",
            size.rows, size.first, size.last, oldest, alarms, size.snapshots, size.snapshot_bytes,
            size.bytes);
    return true;
}

struct export
{
    FILE *out;
    int64_t after;
    size_t rows;
    bool failed;
    struct error *err;
};

static bool export_row(void *ctx, const struct store_row *row)
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
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    format_line(&t, FORMAT_JSON, &(struct format_origin){.hostname = "-", .process_id = "-"},
                event);
    event_unref(event);
    e->failed = t.len == 0 || fprintf(e->out, "%s\n", buffer) < 0;
    if (e->failed)
        error_set(e->err, t.len == 0 ? "out of memory" : "cannot write");
    return !e->failed;
}

bool journal_commands_export(FILE *out, const char *path, int64_t after, struct error *err)
{
    struct store *store;
    if (store_examine(path, &store, err) != STORE_OK)
        return false;
    struct export e = {.out = out, .after = after, .err = err};
    bool ok = true;
    do {
        e.rows = 0;
        ok = store_read(store, e.after, EXPORT_CHUNK, export_row, &e, err) == STORE_OK && !e.failed;
    } while (ok && e.rows > 0);
    return journal_commands_finish(store, ok, err);
}
