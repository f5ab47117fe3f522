// SPDX-License-Identifier: BSD-2-Clause
// A client of the control socket that sends arbitrary octets: every line gets one answer, and the
// server survives. The commands are the daemon's, except those that need a port, a sweeper or a
// configuration.
#include "fuzz.h"

#include "control/commands.h"
#include "control/handlers.h"
#include "control/server.h"
#include "ctl/client.h"
#include "ctl/protocol.h"
#include "model/fabric_builder.h"
#include "model/fabric_record.h"
#include "scratch.h"

#include <event2/event.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *directory;
static char path[SCRATCH_PATH_SIZE + 8];
static struct event_base *base;
static struct server *server;
static struct journal *journal;
static struct pipeline *pipeline;
static struct log *log_;
static struct fabric *fabric;
static const struct event_builder builder = {.clock = &clock_system, .random = &random_system};
static struct conf conf;
static struct parts parts;
static struct control control;

// The event of a test command can be made.
static json_t *answer_test(const json_t *request)
{
    struct error err;
    struct test_event test;
    if (!test_answers_read(&control, request, &test, &err))
        return json_pack("{s:i, s:s}", "version", PROTOCOL_VERSION, "error", err.text);
    struct event *event = test_event_make(&builder, &test);
    REQUIRE(event && event->test);
    event_unref(event);
    return json_pack("{s:i}", "version", PROTOCOL_VERSION);
}

// The daemon's commands that this gateway cannot run.
static bool is_beyond(const char *command)
{
    static const char *const BEYOND[] = {"status",        "health", "sweep-now", "resubscribe",
                                         "configuration", "log",    "reload"};
    for (size_t i = 0; i < sizeof BEYOND / sizeof *BEYOND; i++) {
        if (strcmp(command, BEYOND[i]) == 0)
            return true;
    }
    return false;
}

static json_t *handle(void *ctx, const struct peer_credentials *client, const char *command,
                      const json_t *request)
{
    (void)ctx;
    control.user = client;
    size_t count;
    const struct control_command *commands = control_commands(&count);
    REQUIRE(json_is_object(request));
    if (is_beyond(command))
        return json_pack("{s:i}", "version", PROTOCOL_VERSION);
    if (strcmp(command, "test") == 0)
        return answer_test(request);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(command, commands[i].name) == 0) {
            json_t *answer = commands[i].answer(&control, request);
            if (control.found)
                explain_finish(&control, answer);
            event_unref(control.found);
            control.found = NULL;
            return answer;
        }
    }
    return NULL;
}

static void stop(void)
{
    server_stop(server);
    event_base_free(base);
    pipeline_stop(pipeline);
    pipeline_free(pipeline);
    fabric_unref(fabric);
    journal_close(journal);
    log_close(log_);
    scratch_remove(directory);
}

// Two hosts on a switch.
static struct fabric *make_fabric(bool complete)
{
    struct fabric_builder *b = fabric_builder_new();
    const struct fabric_node nodes[] = {
        {.guid = 1, .type = FABRIC_SWITCH, .port_count = 2, .description = "leaf1"},
        {.guid = 2, .type = FABRIC_CA, .port_count = 1, .description = "node1"},
        {.guid = 3, .type = FABRIC_CA, .port_count = 1, .description = "node2"}};
    REQUIRE(b);
    for (uint32_t i = 0; i < 3; i++)
        REQUIRE(fabric_builder_node(b, &nodes[i]) == i);
    REQUIRE(fabric_builder_link(b, 0, 1, 1, 1));
    REQUIRE(!complete || fabric_builder_link(b, 0, 2, 2, 1));
    struct fabric *made = fabric_builder_finish(b, 1, 0, complete);
    REQUIRE(made);
    return made;
}

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

// One event of every kind, each a consequence of the event before.
static void add_events(void)
{
    char cause[EVENT_ID_SIZE] = "";
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        struct test_event test = {.type = (enum catalogue_event)i};
        test_event_make_up(&test);
        struct event *event = test_event_make(&builder, &test);
        REQUIRE(event);
        event->test = false;
        memcpy(event->cause_id, cause, sizeof cause);
        memcpy(cause, event->id, sizeof cause);
        journal_append(journal, event, &(struct journal_report){0});
        event_unref(event);
    }
}

// The first snapshot in the journal lacks a link.
static void open_journal(void)
{
    struct error err;
    size_t size;
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000,
                                            .bytes_max = 1 << 20,
                                            .age_us = CLOCK_US_PER_S,
                                            .notify = ignore_change,
                                            .clock = &clock_system,
                                            .random = &random_system,
                                            .log = log_};
    journal = journal_open(&options, &err);
    REQUIRE(journal);
    struct fabric *before = make_fabric(false);
    uint8_t *record = fabric_record_write(before, &size);
    REQUIRE(record);
    journal_save_snapshot(journal, &(struct journal_snapshot){.time_us = 1}, record, size);
    add_events();
    journal_commit(journal);
    free(record);
    fabric_unref(before);
}

static void start(void)
{
    struct error err;
    directory = scratch_make();
    snprintf(path, sizeof path, "%s/ctl", directory);
    base = event_base_new();
    REQUIRE(base);
    log_ = log_open(stderr, LOG_LEVEL_ERROR, false, &clock_system);
    server = server_start(&(struct server_options){.base = base,
                                                   .path = path,
                                                   .group = SERVER_OWN_GROUP,
                                                   .handler = handle,
                                                   .reads_only = control_reads_only,
                                                   .log = log_},
                          &err);
    REQUIRE(server);
    fabric = make_fabric(true);
    open_journal();
    pipeline = pipeline_start(
        &(struct pipeline_options){.builder = builder, .journal = journal, .log = log_}, &err);
    REQUIRE(pipeline);
    parts = (struct parts){.conf = &conf, .journal = journal, .pipeline = pipeline};
    control = (struct control){.parts = &parts, .fabric = fabric, .builder = builder};
    atexit(stop);
}

static size_t count_lines(const uint8_t *data, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += data[i] == '\n';
    return n;
}

static void check_answers(const char *text, size_t size)
{
    json_error_t why;
    for (const char *p = text, *end = text + size; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        REQUIRE(newline);
        json_t *answer = json_loadb(p, (size_t)(newline - p), 0, &why);
        REQUIRE(answer &&
                json_integer_value(json_object_get(answer, "version")) == PROTOCOL_VERSION);
        json_decref(answer);
        p = newline + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char answers[1 << 20];
    struct error err;
    if (!server)
        start();
    if (size > 8192)
        return 0;
    int fd = client_connect(path, &err);
    REQUIRE(fd >= 0);
    REQUIRE(send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size);
    REQUIRE(shutdown(fd, SHUT_WR) == 0);
    size_t length = 0;
    for (ssize_t n = 1; n != 0;) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        n = recv(fd, answers + length, sizeof answers - length, MSG_DONTWAIT);
        length += n > 0 ? (size_t)n : 0;
        REQUIRE(length < sizeof answers);
    }
    close(fd);
    check_answers(answers, length);
    REQUIRE(count_lines((const uint8_t *)answers, length) == count_lines(data, size));
    return 0;
}
