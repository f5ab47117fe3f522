#include "journal/journal.h"

#include "journal/alarms.h"
#include "journal/packed.h"
#include "journal/setting_rows.h"
#include "journal/store.h"
#include "journal/windows.h"
#include "model/catalogue.h"
#include "model/event_record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PRUNE_ROWS_MAX = 5000 };
static const int64_t RETRY_US = 1 * CLOCK_US_PER_S;
static const int64_t PRUNE_US = 10 * CLOCK_US_PER_S;
static const int64_t STATUS_US = 1 * CLOCK_US_PER_S;
static const int64_t PACK_US = CLOCK_US_PER_S / 4;

// One of the two is there.
struct entry {
    struct event *event;
    struct packed *packed;
    struct journal_report report;
};

struct cursor {
    char name[STORE_NAME_MAX + 1];
    int64_t sequence, saved;
    bool active;      // a receiver of this run
    bool forgotten;   // to be deleted from the file; then the place is free
    bool provisional; // begun while the file could not be read
    bool set_back;    // and then it told another place
};

static const struct cursor NO_CURSOR = {.sequence = -1, .saved = -1};

// The snapshot that waits for the next commit.
struct waiting_fabric {
    struct journal_fabric meta;
    uint8_t *record; // NULL: none waits
    size_t size;
};

struct journal {
    struct journal_options options;
    char path[256];
    struct alarms *alarms;   // has its own lock
    struct windows *windows; // likewise
    struct setting_rows *settings; // likewise

    // The writer's own.
    struct store *writer; // NULL while degraded
    int lock_fd;          // of the directory's lock; -1: not taken yet
    bool locked_out;      // another process has it
    int64_t retry_at, prune_at, status_at, pack_at;
    int64_t packed_through, to_pack_through; // events in memory
    struct log_limit alarms_limit;
    bool fabric_saved; // in this file, with `fabric_digest`
    uint64_t fabric_digest;

    atomic_int_fast64_t asked_age_us; // 0: nobody asked to prune
    struct histogram commit_times;

    pthread_mutex_t lock;
    pthread_cond_t grown;
    // Sequence numbers: memory holds first_kept..appended; committed ones are readable, stored ones
    // are on disk.
    struct entry memory[JOURNAL_MEMORY_MAX];
    int64_t first_kept, appended, committed, stored;
    struct cursor cursors[JOURNAL_RECEIVERS_MAX];
    size_t cursor_count;
    struct journal_status status;
    int64_t looked_at; // `stored` when the file's size was taken for the status
    struct waiting_fabric fabric; // the writer may read it without the lock

    pthread_mutex_t reader_lock;
    struct store *reader; // opened when somebody reads what memory no longer has
    atomic_bool reader_found_corrupt; // the writer has to set the file aside
};

static struct entry *slot(struct journal *j, int64_t sequence)
{
    return &j->memory[sequence % JOURNAL_MEMORY_MAX];
}

static void release(const struct entry *e)
{
    event_release(e->event);
    packed_free(e->packed);
}

// Opening and failing.

// Nothing of the old file counts any more: all that memory has goes into the new one.
static void begin_file(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    j->stored = j->first_kept - 1;
    for (size_t i = 0; i < j->cursor_count; i++)
        j->cursors[i].saved = -1;
    pthread_mutex_unlock(&j->lock);
    j->fabric_saved = false;
    alarms_begin_file(j->alarms);
    windows_begin_file(j->windows);
    setting_rows_begin_file(j->settings);
}

// With its lock held.
static void end_reader(struct journal *j)
{
    store_close(j->reader);
    j->reader = NULL;
}

static void close_reader(struct journal *j)
{
    pthread_mutex_lock(&j->reader_lock);
    end_reader(j);
    pthread_mutex_unlock(&j->reader_lock);
}

// Somebody removed the directory or the file, or put another in its place.
static void forget_file(struct journal *j)
{
    close_reader(j);
    close(j->lock_fd);
    j->lock_fd = -1;
    begin_file(j);
}

// Renames the file and what belongs to it to <path>.corrupt-<time>.
static void set_aside(struct journal *j, const char *why)
{
    static const char *const PARTS[] = {"", "-wal", "-shm"};
    char when[CLOCK_TEXT_SIZE], aside[300], from[300], to[340];
    clock_format_utc(clock_utc(j->options.clock), when);
    snprintf(aside, sizeof aside, "%s.corrupt-%s", j->path, when);
    pthread_mutex_lock(&j->reader_lock); // so that no reader keeps the old file
    end_reader(j);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        snprintf(from, sizeof from, "%s%s", j->path, PARTS[i]);
        snprintf(to, sizeof to, "%s%s", aside, PARTS[i]);
        rename(from, to);
    }
    pthread_mutex_unlock(&j->reader_lock);
    log_write(j->options.log, LOG_LEVEL_ERROR, "%s; it was set aside as %s, and a new journal begun",
              why, aside);
    begin_file(j);
}

static bool make_directory(const struct journal *j, struct error *err)
{
    if (mkdir(j->options.directory, 0750) == 0 || errno == EEXIST)
        return true;
    return error_set(err, "cannot make the directory %s: %s", j->options.directory, strerror(errno));
}

// One process a directory: two would overwrite each other's events.
static bool lock_directory(struct journal *j, struct error *err)
{
    char path[300];
    if (j->lock_fd >= 0)
        return true;
    snprintf(path, sizeof path, "%s/lock", j->options.directory);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    if (fd < 0)
        return error_set(err, "cannot open %s: %s", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        j->lock_fd = fd;
        return true;
    }
    j->locked_out = errno == EWOULDBLOCK;
    error_set(err, "another ibtrapd uses the directory %s; give this one its own (item 'directory' of "
                   "section 'journal')", j->options.directory);
    close(fd);
    return false;
}

static void set_problem(struct journal *j, const char *problem)
{
    pthread_mutex_lock(&j->lock);
    bool was_durable = j->status.durable;
    j->status.durable = problem[0] == '\0';
    snprintf(j->status.problem, sizeof j->status.problem, "%s", problem);
    pthread_mutex_unlock(&j->lock);
    if (was_durable && problem[0] != '\0') {
        log_write(j->options.log, LOG_LEVEL_ERROR, "%s; events are kept in memory until that works again",
                  problem);
        j->options.tell(j->options.ctx, JOURNAL_DEGRADED, problem, 0);
    }
    if (!was_durable && problem[0] == '\0') {
        log_write(j->options.log, LOG_LEVEL_INFO, "the journal %s works", j->path);
        j->options.tell(j->options.ctx, JOURNAL_HEALED, "the journal works again", 0);
    }
}

static struct cursor *find_cursor(struct journal *j, const char *name)
{
    struct cursor *c = NULL; // a free place
    for (size_t i = 0; i < j->cursor_count; i++) {
        if (strcmp(j->cursors[i].name, name) == 0)
            return &j->cursors[i];
        if (j->cursors[i].name[0] == '\0')
            c = &j->cursors[i];
    }
    if (!c && j->cursor_count == JOURNAL_RECEIVERS_MAX)
        return NULL;
    if (!c)
        c = &j->cursors[j->cursor_count++];
    *c = NO_CURSOR;
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

static void load_cursor(void *ctx, const char *receiver, int64_t sequence)
{
    struct journal *j = ctx;
    struct cursor *c = find_cursor(j, receiver);
    if (!c || (c->active && !c->provisional))
        return;
    c->sequence = c->saved = sequence;
    c->set_back = c->provisional;
}

static enum store_result load_cursors(struct journal *j, struct error *err)
{
    pthread_mutex_lock(&j->lock);
    enum store_result result = store_read_cursors(j->writer, load_cursor, j, err);
    for (size_t i = 0; i < j->cursor_count && result == STORE_OK; i++)
        j->cursors[i].provisional = false;
    pthread_mutex_unlock(&j->lock);
    return result;
}

// Opens the file and takes from it what memory has to know.
static enum store_result load_file(struct journal *j, struct error *err)
{
    struct store_size size;
    enum store_result result = store_open(j->path, false, &j->writer, err);
    if (result == STORE_OK)
        result = store_get_size(j->writer, &size, err);
    if (result == STORE_OK)
        result = load_cursors(j, err);
    if (result == STORE_OK)
        result = alarms_load(j->alarms, j->writer, err);
    if (result == STORE_OK)
        result = windows_load(j->windows, j->writer, err);
    if (result == STORE_OK)
        result = setting_rows_load(j->settings, j->writer, err);
    if (result != STORE_OK) {
        store_close(j->writer);
        j->writer = NULL;
    }
    return result;
}

static bool open_writer(struct journal *j, struct error *err)
{
    if (!make_directory(j, err) || !lock_directory(j, err))
        return false;
    enum store_result result = load_file(j, err);
    if (result == STORE_CORRUPT) {
        set_aside(j, err->text);
        result = load_file(j, err);
    }
    return result == STORE_OK;
}

static bool try_open(struct journal *j)
{
    struct error err;
    j->retry_at = clock_monotonic(j->options.clock) + RETRY_US;
    close_reader(j); // it would keep the WAL's index, which may say that more is in the file than is
    if (open_writer(j, &err))
        return true;
    set_problem(j, err.text);
    return false;
}

// Numbers never repeat: they go on after what the file has, events and cursors, or, while it cannot be
// read, from the clock, which is far ahead of any journal's count.
static int64_t last_number(struct journal *j)
{
    struct error err;
    struct store_size size;
    if (!j->writer || store_get_size(j->writer, &size, &err) != STORE_OK)
        return clock_utc(j->options.clock) / CLOCK_US_PER_MS;
    int64_t last = size.last;
    for (size_t i = 0; i < j->cursor_count; i++)
        last = j->cursors[i].sequence > last ? j->cursors[i].sequence : last;
    return last;
}

struct journal *journal_open(const struct journal_options *options, struct error *err)
{
    struct journal *j = calloc(1, sizeof *j);
    struct alarms *alarms = alarms_new();
    struct windows *windows = windows_new();
    struct setting_rows *settings = setting_rows_new();
    if (!j || !alarms || !windows || !settings) {
        error_set(err, "out of memory");
        setting_rows_free(settings);
        windows_free(windows);
        alarms_free(alarms);
        free(j);
        return NULL;
    }
    j->alarms = alarms;
    j->windows = windows;
    j->settings = settings;
    j->options = *options;
    j->lock_fd = -1;
    j->status.durable = true;
    snprintf(j->path, sizeof j->path, "%s/journal.db", options->directory);
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->reader_lock, NULL);
    clock_condition_init(&j->grown);
    try_open(j);
    if (j->locked_out) {
        error_set(err, "%s", j->status.problem);
        journal_close(j);
        return NULL;
    }
    j->stored = j->committed = j->appended = last_number(j);
    j->packed_through = j->to_pack_through = j->committed;
    j->first_kept = j->appended + 1;
    return j;
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    store_close(journal->reader);
    store_close(journal->writer); // the last, so that the WAL goes into the file
    if (journal->lock_fd >= 0)
        close(journal->lock_fd);
    for (size_t i = 0; i < JOURNAL_MEMORY_MAX; i++)
        release(&journal->memory[i]);
    setting_rows_free(journal->settings);
    windows_free(journal->windows);
    alarms_free(journal->alarms);
    free(journal->fabric.record);
    pthread_cond_destroy(&journal->grown);
    pthread_mutex_destroy(&journal->reader_lock);
    pthread_mutex_destroy(&journal->lock);
    free(journal);
}

// Writing.

static void take_alarm(struct journal *j, const struct event *event, int64_t sequence)
{
    if (alarms_take(j->alarms, event, sequence))
        return;
    pthread_mutex_lock(&j->lock);
    j->status.alarms_missed++;
    pthread_mutex_unlock(&j->lock);
    log_write_limited(j->options.log, &j->alarms_limit, LOG_LEVEL_ERROR,
                      "there are too many alarms: '%s' is not taken", event->alarm_key);
}

int64_t journal_append(struct journal *journal, struct event *event,
                       const struct journal_report *report)
{
    pthread_mutex_lock(&journal->lock);
    int64_t sequence = ++journal->appended;
    event->number = sequence;
    struct entry *e = slot(journal, sequence);
    const struct entry oldest = *e;
    if (oldest.event || oldest.packed)
        journal->first_kept++;
    *e = (struct entry){.event = event_keep(event), .report = *report};
    pthread_mutex_unlock(&journal->lock);
    release(&oldest);
    take_alarm(journal, event, sequence);
    return sequence;
}

void journal_save_fabric(struct journal *journal, const struct journal_fabric *fabric,
                         const uint8_t *record, size_t size)
{
    const struct waiting_fabric *waiting = &journal->fabric;
    bool known = waiting->record ? waiting->meta.digest == fabric->digest
                                 : journal->fabric_saved && journal->fabric_digest == fabric->digest;
    uint8_t *copy = known ? NULL : malloc(size);
    if (!copy)
        return; // without memory, the next one is saved
    memcpy(copy, record, size);
    pthread_mutex_lock(&journal->lock);
    uint8_t *old = journal->fabric.record;
    journal->fabric = (struct waiting_fabric){*fabric, copy, size};
    journal->fabric.meta.number = 0;
    pthread_mutex_unlock(&journal->lock);
    free(old);
}

// `record` is room for what the row then points to.
static void fill_row(const struct entry *e, uint8_t record[EVENT_RECORD_MAX], struct store_row *row)
{
    if (e->packed) {
        packed_fill_row(e->packed, row);
        return;
    }
    const struct event *event = e->event;
    row->id = event->id;
    row->type = event->type->name;
    row->time_us = event->time_us;
    row->severity = (int)event->severity;
    row->node_guid = event->subject.guid;
    row->record = record;
    row->record_size = event_record_write(event, record);
}

static void add_row(struct journal *j, int64_t sequence)
{
    const struct entry *e = slot(j, sequence);
    uint8_t record[EVENT_RECORD_MAX];
    struct store_row row = {
        .sequence = sequence,
        .report_lid = e->report.lid,
        .report_tid = e->report.tid,
        .report_digest = e->report.digest,
    };
    fill_row(e, record, &row);
    store_add_event(j->writer, &row);
}

// Of the file, for the snapshots of the fabric; the newest may be larger.
static int64_t snapshot_bytes_max(const struct journal *j)
{
    return j->options.bytes_max / 4;
}

// What is to be written, as it stands when the transaction begins.
struct plan {
    int64_t first, last; // events
    int64_t cursors[JOURNAL_RECEIVERS_MAX]; // -1: none to save
    bool forget[JOURNAL_RECEIVERS_MAX];
    size_t cursor_count;
};

static struct plan make_plan(struct journal *j)
{
    struct plan plan;
    pthread_mutex_lock(&j->lock);
    plan.first = j->stored + 1 > j->first_kept ? j->stored + 1 : j->first_kept;
    plan.last = j->appended;
    plan.cursor_count = j->cursor_count;
    for (size_t i = 0; i < j->cursor_count; i++) {
        plan.forget[i] = j->cursors[i].forgotten;
        plan.cursors[i] = plan.forget[i] ? -1 : j->cursors[i].sequence;
    }
    pthread_mutex_unlock(&j->lock);
    return plan;
}

static void add_fabric(struct journal *j)
{
    const struct waiting_fabric *f = &j->fabric;
    const struct store_snapshot snapshot = {.time_us = f->meta.time_us,
                                            .digest = f->meta.digest,
                                            .nodes = f->meta.nodes,
                                            .links = f->meta.links,
                                            .record = f->record,
                                            .record_size = f->size};
    if (f->record)
        store_add_snapshot(j->writer, &snapshot, JOURNAL_FABRICS_MAX, snapshot_bytes_max(j));
}

static void fabric_committed(struct journal *j)
{
    if (!j->fabric.record)
        return;
    j->fabric_saved = true;
    j->fabric_digest = j->fabric.meta.digest;
    pthread_mutex_lock(&j->lock);
    uint8_t *record = j->fabric.record;
    j->fabric.record = NULL;
    pthread_mutex_unlock(&j->lock);
    free(record);
}

static enum store_result write_plan(struct journal *j, const struct plan *plan, struct error *err)
{
    if (atomic_exchange(&j->reader_found_corrupt, false)) {
        error_set(err, "the file is damaged");
        return STORE_CORRUPT;
    }
    if (store_has_moved(j->writer)) {
        error_set(err, "it was removed or replaced");
        return STORE_GONE;
    }
    store_begin(j->writer);
    for (int64_t s = plan->first; s <= plan->last; s++)
        add_row(j, s);
    for (size_t i = 0; i < plan->cursor_count; i++) {
        if (plan->forget[i])
            store_delete_cursor(j->writer, j->cursors[i].name);
        if (plan->cursors[i] >= 0 && plan->cursors[i] != j->cursors[i].saved)
            store_set_cursor(j->writer, j->cursors[i].name, plan->cursors[i]);
    }
    alarms_write(j->alarms, j->writer);
    windows_write(j->windows, j->writer);
    setting_rows_write(j->settings, j->writer);
    add_fabric(j);
    return store_commit(j->writer, err);
}

static enum store_result write_timed(struct journal *j, const struct plan *plan, struct error *err)
{
    int64_t begin = clock_monotonic(j->options.clock);
    enum store_result result = write_plan(j, plan, err);
    if (result == STORE_OK)
        histogram_add(&j->commit_times, clock_monotonic(j->options.clock) - begin);
    return result;
}

// Events that memory had to let go before they were written, and that some receiver still wants.
static void count_lost(struct journal *j, const struct plan *plan)
{
    int64_t lost = plan->first - (j->stored + 1);
    if (lost <= 0)
        return;
    char reason[128];
    snprintf(reason, sizeof reason, "the disk did not work for too long: events %lld to %lld are not in "
             "the journal", (long long)j->stored + 1, (long long)plan->first - 1);
    pthread_mutex_lock(&j->lock);
    j->status.dropped += (uint64_t)lost;
    pthread_mutex_unlock(&j->lock);
    log_write(j->options.log, LOG_LEVEL_ERROR, "%s", reason);
    j->options.tell(j->options.ctx, JOURNAL_DROPPING, reason, (uint64_t)lost);
}

// One that was forgotten leaves its place, unless it came again meanwhile.
static void cursor_committed(struct cursor *c, int64_t saved, bool forget)
{
    c->saved = saved;
    if (forget && c->forgotten)
        *c = NO_CURSOR;
}

static void lose_writer(struct journal *j, enum store_result result, struct error *err)
{
    error_prefix(err, "cannot write the journal %s", j->path);
    store_close(j->writer);
    j->writer = NULL;
    if (result == STORE_CORRUPT)
        set_aside(j, err->text);
    if (result == STORE_GONE)
        forget_file(j);
    set_problem(j, err->text);
}

static void take_result(struct journal *j, const struct plan *plan, enum store_result result,
                        struct error *err)
{
    if (result == STORE_OK) {
        count_lost(j, plan);
        pthread_mutex_lock(&j->lock);
        j->stored = plan->last;
        for (size_t i = 0; i < plan->cursor_count; i++)
            cursor_committed(&j->cursors[i], plan->cursors[i], plan->forget[i]);
        j->status.commits++;
        pthread_mutex_unlock(&j->lock);
        alarms_committed(j->alarms);
        windows_committed(j->windows);
        setting_rows_committed(j->settings);
        fabric_committed(j);
        set_problem(j, "");
    } else {
        lose_writer(j, result, err);
    }
}

static int64_t least_cursor(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    int64_t least = j->committed;
    for (size_t i = 0; i < j->cursor_count; i++) {
        if (j->cursors[i].active && j->cursors[i].sequence < least)
            least = j->cursors[i].sequence;
    }
    pthread_mutex_unlock(&j->lock);
    return least;
}

// The last sequence number that retention lets go; 0: none.
static int64_t expired_through(struct journal *j, const struct store_size *size)
{
    struct error err;
    int64_t through = 0, first_young;
    int64_t beyond = size->snapshot_bytes - snapshot_bytes_max(j); // a large one is not at the events' cost
    int64_t bytes = size->bytes - (beyond > 0 ? beyond : 0);
    if (size->rows > j->options.rows_max)
        through = size->first + (size->rows - j->options.rows_max) - 1;
    if (bytes > j->options.bytes_max) {
        // As many as the surplus is of the whole.
        double surplus = (double)(bytes - j->options.bytes_max) / (double)bytes;
        int64_t by_bytes = size->first + (int64_t)((double)size->rows * surplus);
        through = by_bytes > through ? by_bytes : through;
    }
    int64_t oldest = clock_utc(j->options.clock) - j->options.age_us;
    if (size->oldest_us < oldest &&
        store_first_since(j->writer, oldest, &first_young, &err) == STORE_OK)
        through = first_young - 1 > through ? first_young - 1 : through;
    return through;
}

// Deletes rows up to `through`, some thousands at a time. True when nothing of them is left.
static bool delete_some(struct journal *j, const struct store_size *size, int64_t through)
{
    struct error err;
    int64_t most = size->first + PRUNE_ROWS_MAX - 1;
    int64_t end = through < most ? through : most;
    int64_t had = least_cursor(j); // what was deleted before was told before
    int64_t wanted = end - (had >= size->first ? had : size->first - 1);
    store_begin(j->writer);
    store_delete_through(j->writer, end, PRUNE_ROWS_MAX);
    if (store_commit(j->writer, &err) != STORE_OK)
        return true; // the next commit finds out what is wrong
    if (wanted > 0) {
        pthread_mutex_lock(&j->lock);
        j->status.dropped += (uint64_t)wanted;
        pthread_mutex_unlock(&j->lock);
        j->options.tell(j->options.ctx, JOURNAL_DROPPING,
                        "the journal is full, and a receiver is too far behind", (uint64_t)wanted);
    }
    return end == through;
}

static void prune(struct journal *j)
{
    struct error err;
    struct store_size size;
    int64_t through, first_young, asked = atomic_load(&j->asked_age_us);
    if (store_get_size(j->writer, &size, &err) != STORE_OK)
        return;
    if (size.rows == 0) {
        atomic_store(&j->asked_age_us, 0);
        return;
    }
    through = expired_through(j, &size);
    if (asked > 0 && store_first_since(j->writer, clock_utc(j->options.clock) - asked, &first_young,
                                       &err) == STORE_OK) {
        int64_t delivered = least_cursor(j);
        int64_t by_request = first_young - 1 < delivered ? first_young - 1 : delivered;
        through = by_request > through ? by_request : through;
    }
    if (through < size.first || delete_some(j, &size, through))
        atomic_store(&j->asked_age_us, 0);
    else
        j->prune_at = 0; // there is more
}

void journal_ask_to_prune(struct journal *journal, int64_t age_us)
{
    atomic_store(&journal->asked_age_us, age_us > JOURNAL_YOUNG_US ? age_us : JOURNAL_YOUNG_US);
}

static void refresh_status(struct journal *j)
{
    struct error err;
    struct store_size size = {0};
    if (j->writer)
        store_get_size(j->writer, &size, &err);
    pthread_mutex_lock(&j->lock);
    j->status.rows = size.rows;
    j->status.bytes = size.bytes;
    j->status.first = size.first;
    j->status.last = size.last;
    j->looked_at = j->stored;
    pthread_mutex_unlock(&j->lock);
}

// What is on disk need not be in memory, but for the latest, which receivers that keep up read from there.
static void let_go(struct journal *j)
{
    enum { AT_ONCE = 64 };
    struct entry entries[AT_ONCE];
    size_t n = AT_ONCE;
    while (n == AT_ONCE) {
        pthread_mutex_lock(&j->lock);
        for (n = 0; n < AT_ONCE && j->first_kept + JOURNAL_MEMORY_KEPT <= j->stored; n++) {
            struct entry *oldest = slot(j, j->first_kept++);
            entries[n] = *oldest;
            *oldest = (struct entry){.event = NULL};
        }
        pthread_mutex_unlock(&j->lock);
        for (size_t i = 0; i < n; i++)
            release(&entries[i]);
    }
}

static void pack_one(struct journal *j, struct entry *e, struct packed *packed)
{
    pthread_mutex_lock(&j->lock);
    struct event *event = e->event;
    e->event = NULL;
    e->packed = packed;
    pthread_mutex_unlock(&j->lock);
    event_release(event);
}

// Receivers that keep up have by now what was there the last time. What cannot be packed for want
// of memory stays as it is until the next time.
static void pack(struct journal *j)
{
    int64_t first = j->packed_through + 1 > j->first_kept ? j->packed_through + 1 : j->first_kept;
    for (int64_t s = first; s <= j->to_pack_through; s++) {
        struct packed *packed = packed_new(slot(j, s)->event);
        if (!packed)
            return;
        pack_one(j, slot(j, s), packed);
        j->packed_through = s;
    }
    j->packed_through = j->to_pack_through;
    j->to_pack_through = j->committed;
}

static void move_wal(struct journal *j)
{
    struct error err;
    enum store_result result = store_move_wal(j->writer, &err);
    if (result != STORE_OK)
        lose_writer(j, result, &err);
}

void journal_commit(struct journal *journal)
{
    struct error err;
    struct plan plan = make_plan(journal);
    int64_t now = clock_monotonic(journal->options.clock);
    if (!journal->writer && now >= journal->retry_at && try_open(journal))
        plan = make_plan(journal);
    if (journal->writer)
        take_result(journal, &plan, write_timed(journal, &plan, &err), &err);
    pthread_mutex_lock(&journal->lock);
    journal->committed = journal->appended > plan.last ? plan.last : journal->appended;
    pthread_cond_broadcast(&journal->grown);
    pthread_mutex_unlock(&journal->lock);
    let_go(journal);
    if (now >= journal->pack_at) {
        journal->pack_at = now + PACK_US;
        pack(journal);
    }
    if (journal->writer && (now >= journal->prune_at || atomic_load(&journal->asked_age_us) > 0)) {
        journal->prune_at = now + PRUNE_US;
        prune(journal);
    }
    if (now >= journal->status_at) {
        journal->status_at = now + STATUS_US;
        refresh_status(journal);
    }
    if (journal->writer)
        move_wal(journal);
}

bool journal_has_work(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    int64_t now = clock_monotonic(journal->options.clock);
    bool work = journal->stored < journal->appended || now >= journal->prune_at ||
                atomic_load(&journal->asked_age_us) > 0 || journal->fabric.record ||
                (journal->packed_through < journal->committed && now >= journal->pack_at) ||
                alarms_have_changed(journal->alarms) || windows_have_changed(journal->windows) ||
                setting_rows_have_changed(journal->settings);
    for (size_t i = 0; i < journal->cursor_count; i++)
        work |= journal->cursors[i].forgotten ||
                journal->cursors[i].sequence != journal->cursors[i].saved;
    pthread_mutex_unlock(&journal->lock);
    return work;
}

// Receivers.

int journal_receiver(struct journal *journal, const char *name)
{
    pthread_mutex_lock(&journal->lock);
    struct cursor *c = find_cursor(journal, name);
    if (c) {
        c->active = true;
        if (c->forgotten)
            c->sequence = -1;
        c->forgotten = false;
        if (c->sequence < 0) {
            c->sequence = journal->committed;
            c->provisional = journal->writer == NULL;
        }
    }
    int handle = c ? (int)(c - journal->cursors) : -1;
    pthread_mutex_unlock(&journal->lock);
    return handle;
}

int64_t journal_cursor(struct journal *journal, int receiver)
{
    pthread_mutex_lock(&journal->lock);
    int64_t sequence = journal->cursors[receiver].sequence;
    pthread_mutex_unlock(&journal->lock);
    return sequence;
}

void journal_advance(struct journal *journal, int receiver, int64_t sequence)
{
    pthread_mutex_lock(&journal->lock);
    journal->cursors[receiver].sequence = sequence;
    pthread_mutex_unlock(&journal->lock);
}

void journal_forget_receiver(struct journal *journal, const char *name)
{
    pthread_mutex_lock(&journal->lock);
    for (size_t i = 0; i < journal->cursor_count; i++) {
        struct cursor *c = &journal->cursors[i];
        if (strcmp(c->name, name) == 0) {
            c->active = false;
            c->forgotten = true;
        }
    }
    pthread_mutex_unlock(&journal->lock);
}

bool journal_cursor_was_set_back(struct journal *journal, int receiver)
{
    pthread_mutex_lock(&journal->lock);
    bool set_back = journal->cursors[receiver].set_back;
    journal->cursors[receiver].set_back = false;
    pthread_mutex_unlock(&journal->lock);
    return set_back;
}

// Reading.

struct reading {
    struct journal *journal;
    struct journal_item *items;
    size_t count;
    bool short_of_memory; // for the next row, which may be read later
};

static bool take_row(void *ctx, const struct store_row *row)
{
    struct reading *r = ctx;
    struct error err;
    struct event *event = event_make(NULL);
    r->short_of_memory = !event;
    if (!event)
        return false;
    if (!event_record_fill(event, row->record, row->record_size, &err)) {
        log_write(r->journal->options.log, LOG_LEVEL_ERROR, "event %s of the journal cannot be read: %s",
                  row->id, err.text);
        event_release(event);
        event = NULL;
    }
    if (event)
        event->number = row->sequence;
    r->items[r->count++] = (struct journal_item){row->sequence, event};
    return true;
}

// Makes `reader` usable, for one thread at a time until end_reading.
static enum store_result begin_reading(struct journal *j, struct error *err)
{
    pthread_mutex_lock(&j->reader_lock);
    return j->reader ? STORE_OK : store_open(j->path, true, &j->reader, err);
}

static void end_reading(struct journal *j, enum store_result result)
{
    if (result != STORE_OK)
        end_reader(j);
    if (result == STORE_CORRUPT)
        atomic_store(&j->reader_found_corrupt, true);
    pthread_mutex_unlock(&j->reader_lock);
}

// A direction: store_read or store_read_back.
typedef enum store_result read_function(struct store *store, int64_t from, size_t limit,
                                        bool (*each)(void *ctx, const struct store_row *row),
                                        void *ctx, struct error *err);

static enum store_result read_from_disk(struct journal *j, read_function *read, int64_t from,
                                        struct journal_item *items, size_t n, size_t *count)
{
    struct reading reading = {.journal = j, .items = items};
    struct error err;
    enum store_result result = begin_reading(j, &err);
    if (result == STORE_OK)
        result = read(j->reader, from, n, take_row, &reading, &err);
    end_reading(j, result);
    *count = reading.count;
    return reading.short_of_memory && reading.count == 0 ? STORE_FAILED : result;
}

// An event of memory's, with the lock held. False: out of memory.
static bool take_entry(struct journal *j, int64_t sequence, struct journal_item *out)
{
    const struct entry *e = slot(j, sequence);
    *out =
        (struct journal_item){sequence, e->event ? event_keep(e->event) : packed_event(e->packed)};
    if (e->packed && out->event)
        out->event->number = sequence;
    return out->event != NULL;
}

// With the lock held.
static size_t read_from_memory(struct journal *j, int64_t after, struct journal_item *items, size_t n)
{
    int64_t first = after + 1 > j->first_kept ? after + 1 : j->first_kept;
    size_t count = 0;
    while (first + (int64_t)count <= j->committed && count < n &&
           take_entry(j, first + (int64_t)count, &items[count]))
        count++;
    return count;
}

// Snapshots of the fabric.

struct fabric_list {
    struct journal_fabric *out;
    size_t count;
};

static struct journal_fabric meta_of(const struct store_snapshot *s)
{
    return (struct journal_fabric){s->number, s->time_us, s->digest, s->nodes, s->links};
}

static void take_meta(void *ctx, const struct store_snapshot *snapshot)
{
    struct fabric_list *list = ctx;
    if (list->count < JOURNAL_FABRICS_MAX)
        list->out[list->count++] = meta_of(snapshot);
}

size_t journal_list_fabrics(struct journal *journal,
                            struct journal_fabric out[JOURNAL_FABRICS_MAX + 1])
{
    struct fabric_list list = {out, 0};
    struct error err;
    enum store_result result = begin_reading(journal, &err);
    if (result == STORE_OK)
        result = store_list_snapshots(journal->reader, take_meta, &list, &err);
    end_reading(journal, result);
    pthread_mutex_lock(&journal->lock);
    if (journal->fabric.record)
        out[list.count++] = journal->fabric.meta;
    pthread_mutex_unlock(&journal->lock);
    return list.count;
}

struct fabric_copy {
    struct journal_fabric meta;
    uint8_t *record; // NULL: none was found, or there was no memory
    size_t size;
};

static struct fabric_copy copy_fabric(const struct journal_fabric *meta, const uint8_t *record,
                                      size_t size)
{
    struct fabric_copy copy = {*meta, malloc(size + 1), size};
    if (copy.record && size > 0)
        memcpy(copy.record, record, size);
    return copy;
}

static void take_fabric(void *ctx, const struct store_snapshot *snapshot)
{
    const struct journal_fabric meta = meta_of(snapshot);
    *(struct fabric_copy *)ctx = copy_fabric(&meta, snapshot->record, snapshot->record_size);
}

uint8_t *journal_read_fabric(struct journal *journal, int64_t number, struct journal_fabric *out,
                             size_t *size, struct error *err)
{
    struct fabric_copy copy = {.record = NULL};
    if (number == 0)
        error_set(err, "there is no snapshot of the fabric yet");
    else
        error_set(err, "there is no snapshot %lld of the fabric", (long long)number);
    pthread_mutex_lock(&journal->lock);
    if (number == 0 && journal->fabric.record)
        copy = copy_fabric(&journal->fabric.meta, journal->fabric.record, journal->fabric.size);
    pthread_mutex_unlock(&journal->lock);
    if (!copy.record) {
        enum store_result result = begin_reading(journal, err);
        if (result == STORE_OK)
            result = store_read_snapshot(journal->reader, number, take_fabric, &copy, err);
        end_reading(journal, result);
    }
    *out = copy.meta;
    *size = copy.size;
    return copy.record;
}

bool journal_wait(struct journal *journal, int64_t after, int64_t timeout_us, const atomic_bool *enough)
{
    struct timespec until = clock_deadline(timeout_us);
    int rc = 0;
    pthread_mutex_lock(&journal->lock);
    while (journal->committed <= after && rc == 0 && !atomic_load(enough))
        rc = pthread_cond_timedwait(&journal->grown, &journal->lock, &until);
    bool more = journal->committed > after;
    pthread_mutex_unlock(&journal->lock);
    return more;
}

size_t journal_read(struct journal *journal, int64_t after, struct journal_item *items, size_t n)
{
    size_t count = 0;
    pthread_mutex_lock(&journal->lock);
    bool more = journal->committed > after;
    bool in_memory = more && after + 1 >= journal->first_kept;
    if (in_memory)
        count = read_from_memory(journal, after, items, n);
    pthread_mutex_unlock(&journal->lock);
    if (!more)
        return 0;
    bool ok = in_memory ? count > 0
                        : read_from_disk(journal, store_read, after, items, n, &count) == STORE_OK;
    if (!ok || in_memory || count > 0)
        return count;
    // Neither here nor there: what lay between is gone.
    pthread_mutex_lock(&journal->lock);
    count = read_from_memory(journal, after, items, n);
    pthread_mutex_unlock(&journal->lock);
    return count;
}

size_t journal_read_back(struct journal *journal, int64_t before, struct journal_item *items, size_t n)
{
    size_t count = 0;
    pthread_mutex_lock(&journal->lock);
    int64_t last = before - 1 < journal->committed ? before - 1 : journal->committed;
    bool in_memory = last >= journal->first_kept;
    while (last - (int64_t)count >= journal->first_kept && count < n &&
           take_entry(journal, last - (int64_t)count, &items[count]))
        count++;
    pthread_mutex_unlock(&journal->lock);
    if (!in_memory)
        read_from_disk(journal, store_read_back, before, items, n, &count);
    return count;
}

void journal_wake(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    pthread_cond_broadcast(&journal->grown);
    pthread_mutex_unlock(&journal->lock);
}

int64_t journal_last(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    int64_t last = journal->committed;
    pthread_mutex_unlock(&journal->lock);
    return last;
}

int64_t journal_first_in_memory(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    int64_t first = journal->first_kept;
    pthread_mutex_unlock(&journal->lock);
    return first;
}

void journal_get_status(struct journal *journal, struct journal_status *out)
{
    pthread_mutex_lock(&journal->lock);
    *out = journal->status;
    // What was written since the file was last looked at.
    if (journal->stored > journal->looked_at) {
        out->rows += journal->stored - journal->looked_at;
        out->last = journal->stored;
    }
    out->pending = journal->appended - journal->stored;
    out->alarms = alarms_count(journal->alarms);
    pthread_mutex_unlock(&journal->lock);
}

const struct histogram *journal_commit_times(const struct journal *journal)
{
    return &journal->commit_times;
}

struct recent {
    void (*each)(void *ctx, const struct journal_report *report, int64_t utc_us);
    void *ctx;
};

static bool take_recent(void *ctx, const struct store_row *row)
{
    const struct recent *r = ctx;
    const struct journal_report report = {row->report_lid, row->report_tid, row->report_digest};
    if (row->report_lid != 0)
        r->each(r->ctx, &report, row->time_us);
    return true;
}

void journal_each_recent_report(struct journal *journal, int64_t since_us,
                                void (*each)(void *ctx, const struct journal_report *report,
                                             int64_t utc_us),
                                void *ctx)
{
    struct recent recent = {each, ctx};
    struct error err;
    if (journal->writer)
        store_read_since(journal->writer, since_us, take_recent, &recent, &err);
}

// Alarms.

void journal_each_alarm(struct journal *journal, void (*each)(void *ctx, const struct alarm *alarm),
                        void *ctx)
{
    alarms_each(journal->alarms, each, ctx);
}

bool journal_acknowledge_alarm(struct journal *journal, const char *key, const char *note)
{
    return alarms_acknowledge(journal->alarms, key, clock_utc(journal->options.clock), note);
}

bool journal_shelve_alarm(struct journal *journal, const char *key, int64_t until_us)
{
    return alarms_shelve(journal->alarms, key, until_us);
}

// Maintenance windows.

bool journal_set_window(struct journal *journal, const struct journal_window *window)
{
    return windows_set(journal->windows, window, clock_utc(journal->options.clock));
}

bool journal_remove_window(struct journal *journal, const char *name)
{
    return windows_remove(journal->windows, name);
}

void journal_each_window(struct journal *journal,
                         void (*each)(void *ctx, const struct journal_window *window), void *ctx)
{
    windows_each(journal->windows, each, ctx);
}

// What was set by SNMP.

bool journal_change_settings(struct journal *journal, const struct setting *changes, size_t n)
{
    return setting_rows_change(journal->settings, changes, n);
}

struct settings *journal_settings(struct journal *journal)
{
    return setting_rows_current(journal->settings);
}
