// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline_fixture.h"

const char *directory;
struct support_time now;
struct clock clock_;
struct log *log_;
struct journal *journal;
struct topology *topology;
struct event_builder_lookup lookup;
struct pipeline *pipeline;

static void take_journal_change(void *ctx, enum journal_change change, const char *reason,
                                uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static void open_journal(void)
{
    struct error err;
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 1000 * 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = take_journal_change,
                                            .clock = &clock_,
                                            .random = &random_system,
                                            .log = log_};
    journal = journal_open(&options, &err);
    assert_non_null(journal);
}

void reopen_journal(void)
{
    journal_close(journal);
    open_journal();
}

static void make_topology(void)
{
    topology = topology_new(NULL, &random_system, log_);
    assert_non_null(topology);
    lookup = event_builder_lookup_in(topology);
}

void renew_topology(void)
{
    topology_free(topology);
    make_topology();
}

void restore_topology(void)
{
    const struct systems *joined = topology_joined(topology);
    struct fabric *last = joined ? fabric_ref(joined->fabric) : topology_current(topology);
    renew_topology();
    topology_restore(topology, last);
}

void parts_begin(FILE *log_stream)
{
    now = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * CLOCK_US_PER_S};
    clock_ = support_clock(&now);
    log_ = support_log(log_stream);
    directory = scratch_make_in_memory();
    open_journal();
    make_topology();
}

void parts_end(void)
{
    topology_free(topology);
    journal_close(journal);
    log_close(log_);
    scratch_remove(directory);
}

struct pipeline_options parts_options(void)
{
    return (struct pipeline_options){
        .builder = {.clock = &clock_, .random = &random_system, .lookup = &lookup},
        .journal = journal,
        .topology = topology,
        .log = log_};
}

void start_pipeline(const struct pipeline_options *options)
{
    struct error err;
    pipeline = pipeline_start(options, &err);
    assert_non_null(pipeline);
}

void stop_pipeline(void)
{
    pipeline_stop(pipeline);
    pipeline_free(pipeline);
}

static void wait_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    const int64_t us = *(const int64_t *)ctx;
    now.utc += us;
    now.monotonic += us;
    emitter_work(inside->emitter, inside->now_us + us);
    journal_commit(journal);
}

void pass_time(int64_t us)
{
    assert_true(pipeline_call(pipeline, wait_in_pipeline, &us));
}

// A pair of switches.

struct generated pair;
static struct counter_watch *watch;

static enum pipeline_role always(void *ctx, const struct fabric *fabric)
{
    (void)ctx, (void)fabric;
    return PIPELINE_ACTIVE;
}

void pair_begin(struct pipeline_options *options)
{
    const struct counter_watch_limits limits = {0};
    generated_add(&pair, FABRIC_SWITCH, PAIR_LEFT, "left", 3);
    generated_add(&pair, FABRIC_SWITCH, PAIR_RIGHT, "right", 3);
    generated_link(&pair, 0, 1, 1, 2);
    generated_link(&pair, 0, 2, 1, 3);
    watch = counter_watch_new(&limits);
    options->correlator.watch = watch;
    options->role = always;
    start_pipeline(options);
    pair_sweep();
}

void pair_end(void)
{
    stop_pipeline();
    counter_watch_free(watch);
    parts_end();
    generated_clear(&pair);
    pair = (struct generated){0};
}

void pair_sweep(void)
{
    pipeline_put_fabric(pipeline, generated_look(&pair, 0));
    pass_time(60 * CLOCK_US_PER_S);
}
