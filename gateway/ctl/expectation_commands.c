// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "base/random.h"
#include "ctl/fabric_request.h"
#include "ctl/protocol.h"
#include "ctl/show.h"
#include "event/event_builder.h"
#include "model/fabric.h"
#include "model/topology_file.h"
#include "topology/expectation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Saving.

static bool expectation_command_end_file(FILE *out, const char *path, struct error *err)
{
    bool ok = fflush(out) == 0 && !ferror(out) && fsync(fileno(out)) == 0;
    if (!ok)
        error_set(err, "cannot write '%s': %s", path, strerror(errno));
    return fclose(out) == 0 && ok;
}

// Fills `out` with the path of the file behind a name and its symbolic links: the new file will
// replace the file at this path. False: the name stands for something else, for instance a device.
static bool expectation_command_find_file(const char *name, char out[PATH_MAX], struct error *err)
{
    struct stat st;
    if (snprintf(out, PATH_MAX, "%s", name) >= PATH_MAX)
        return error_set(err, "the path is too long");
    if (lstat(name, &st) != 0)
        return errno == ENOENT || error_set(err, "cannot examine '%s': %s", name, strerror(errno));
    if (S_ISLNK(st.st_mode) && (!realpath(name, out) || stat(out, &st) != 0))
        return error_set(err, "cannot follow the link '%s': %s", name, strerror(errno));
    return S_ISREG(st.st_mode) ||
           error_set(err, "'%s' is not a regular file; 'ibtrapctl topology' prints the same", name);
}

// The new file is whole before the file takes its name: a reload at any time reads the old file or
// the new file. Keeps no file that cannot be read back.
static bool expectation_command_save_as(const struct arguments *a, const char *path,
                                        const char *draft, const struct fabric_request *what,
                                        struct error *err)
{
    const int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out)
        return error_set(err, "cannot make '%s': %s%s", draft, strerror(errno),
                         errno == EEXIST ? "; remove it if no other ibtrapctl writes it" : "");
    topology_commands_write(out, what);
    bool ok = expectation_command_end_file(out, draft, err);
    struct fabric *fabric = ok ? topology_file_load(draft, err) : NULL;
    ok = fabric && (rename(draft, path) == 0 ||
                    error_set(err, "cannot rename '%s': %s", draft, strerror(errno)));
    if (ok)
        fprintf(a->out, "%s has %" PRIu32 " nodes and %" PRIu32 " links.%s\n", a->words[0],
                fabric->node_count, fabric_count_links(fabric),
                what->fabric->complete ? "" : " Some nodes did not answer: look at what it lacks.");
    else
        unlink(draft);
    fabric_unref(fabric);
    return ok;
}

enum command_outcome expectation_commands_save(const struct arguments *a, struct error *err)
{
    char path[PATH_MAX], draft[PATH_MAX + sizeof ".new"];
    struct fabric_request what = {0};
    if (!expectation_command_find_file(a->words[0], path, err))
        return COMMAND_REFUSED;
    snprintf(draft, sizeof draft, "%s.new", path);
    const bool ok = fabric_request_begin(&what, a->socket, 0, err) &&
                    expectation_command_save_as(a, path, draft, &what, err);
    fabric_request_end(&what);
    return command_outcome(ok);
}

// Checking.

struct topology_check {
    const struct event_builder *builder;
    json_t *differences;
    size_t unseen;
};

static json_t *expectation_command_endpoint_json(const struct endpoint *who)
{
    return json_pack("{s:o, s:o, s:s, s:i, s:s}", "guid", protocol_guid(who->guid), "node",
                     protocol_guid(who->node_guid), "type", fabric_type_word(who->type), "port",
                     (int)who->port, "name", who->name);
}

static void expectation_command_take_difference(void *ctx, const struct change *difference,
                                                bool unseen)
{
    struct topology_check *check = ctx;
    const struct catalogue_entry *type = catalogue_get(difference->type);
    struct event *event = event_builder_from_change(check->builder, difference, false, NULL, NULL);
    check->unseen += unseen;
    json_t *one = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:I, s:o, s:b}", "event", type->name, "severity",
        severity_word(type->severity), "text", event->text, "alarmKey", difference->alarm_key,
        "subject", expectation_command_endpoint_json(&difference->subject), "peer",
        expectation_command_endpoint_json(&difference->peer), "reason", difference->reason,
        "affected", (json_int_t)difference->affected, "cause",
        difference->cause == FABRIC_NONE ? json_null() : json_integer(difference->cause), "unseen",
        (int)unseen);
    json_array_append_new(check->differences, one);
    event_unref(event);
}

static void expectation_command_show_differences(const struct arguments *a,
                                                 const struct topology_check *check)
{
    const size_t seen = json_array_size(check->differences) - check->unseen;
    if (seen == 0)
        fprintf(a->out, "The fabric is as in %s.\n", a->words[0]);
    else
        fprintf(a->out, "%zu difference%s from %s:\n", seen, seen == 1 ? "" : "s", a->words[0]);
    show_each(a->out, "[unseen?|[cause,cause=0?  ]{text}\n]", check->differences);
    if (check->unseen > 0)
        fprintf(a->out, "%zu more cannot be judged, as nodes there did not answer.\n",
                check->unseen);
}

// A script reads 0 and 1 as an answer. Therefore the whole answer must be written.
static bool expectation_command_end_output(const struct arguments *a, struct error *err)
{
    return (fflush(a->out) == 0 && !ferror(a->out)) ||
           error_set(err, "cannot write to standard output; is its disk full?");
}

// Takes over the reference to the differences.
static bool expectation_command_show_check(const struct arguments *a,
                                           const struct topology_check *check, bool complete,
                                           struct error *err)
{
    if (!a->json) {
        expectation_command_show_differences(a, check);
        json_decref(check->differences);
        return true;
    }
    json_t *all =
        json_pack("{s:i, s:s, s:b, s:o}", "version", PROTOCOL_VERSION, "file", a->words[0],
                  "complete", (int)complete, "differences", check->differences);
    const bool ok = show_json(a->out, all, err);
    json_decref(all);
    return ok;
}

// Compares the present fabric with the expected fabric.
static enum command_outcome expectation_command_check_fabric(const struct arguments *a,
                                                             const struct expectation *expectation,
                                                             struct error *err)
{
    struct fabric_request now;
    if (!fabric_request_begin(&now, a->socket, 0, err)) {
        fabric_request_end(&now);
        return COMMAND_TROUBLE;
    }
    const struct event_builder builder = {
        .clock = &clock_system, .random = &random_system, .names = now.names};
    struct topology_check check = {.builder = &builder, .differences = json_array()};
    expectation_compare(expectation, now.fabric, now.names, expectation_command_take_difference,
                        &check);
    const bool differs = json_array_size(check.differences) > check.unseen;
    const bool ok = expectation_command_show_check(a, &check, now.fabric->complete, err) &&
                    expectation_command_end_output(a, err);
    fabric_request_end(&now);
    return !ok ? COMMAND_TROUBLE : differs ? COMMAND_DIFFERS : COMMAND_DONE;
}

enum command_outcome expectation_commands_check(const struct arguments *a, struct error *err)
{
    const char *match = a->count == 2 ? a->words[1] : "guid";
    const bool by_name = strcmp(match, "name") == 0;
    if (!by_name && strcmp(match, "guid") != 0)
        return COMMAND_WRONG_USAGE;
    struct fabric *expected = topology_file_load(a->words[0], err);
    if (!expected)
        return COMMAND_TROUBLE;
    struct expectation *expectation = expectation_new(expected, by_name);
    const enum command_outcome outcome = expectation_command_check_fabric(a, expectation, err);
    expectation_free(expectation);
    return outcome;
}
