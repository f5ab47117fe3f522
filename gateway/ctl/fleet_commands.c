// SPDX-License-Identifier: BSD-2-Clause
// The commands about many gateways: they read the pages of the gateways, and nothing else.
#include "ctl/handlers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "sink/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Gateways of a file; octets of an answer; all the time for all answers.
enum { GATEWAYS_MAX = 1000, ANSWER_MAX = 4 << 20, LINE_SIZE = 320 };
static const int64_t PATIENCE_US = 10 * CLOCK_US_PER_S;

struct fleet_gateway {
    char host[LINE_SIZE];
    uint16_t port;
    int fd;     // -1: closed
    bool asked; // the request was sent
    struct text answer;
    json_t *state; // NULL: no answer
    const char *problem;
};

struct fleet {
    struct fleet_gateway *all;
    size_t count;
};

// The file has a gateway in each line: "gw1.example.org:9108", or the URL of the page. Lines that
// begin with # are comments.
static bool fleet_add(struct fleet *fleet, char *line, unsigned number, struct error *err)
{
    static const char HTTP[] = "http://";
    line[strcspn(line, "\r\n")] = '\0';
    char *at = line + strspn(line, " \t");
    if (*at == '\0' || *at == '#')
        return true;
    if (strncmp(at, HTTP, sizeof HTTP - 1) == 0)
        at += sizeof HTTP - 1;
    at[strcspn(at, "/ \t")] = '\0';
    char *colon = strrchr(at, ':');
    const long port = colon ? strtol(colon + 1, NULL, 10) : 0;
    if (!colon || colon == at || port < 1 || port > UINT16_MAX)
        return error_set(err, "line %u: a gateway is HOST:PORT, as in metrics { listen }", number);
    if (fleet->count == GATEWAYS_MAX)
        return error_set(err, "line %u: there are more than %d gateways", number, GATEWAYS_MAX);
    *colon = '\0';
    struct fleet_gateway *g = &fleet->all[fleet->count++];
    const bool bracketed = at[0] == '[';
    *g = (struct fleet_gateway){.port = (uint16_t)port, .fd = -1, .problem = "it does not answer"};
    at[bracketed ? strcspn(at, "]") : strlen(at)] = '\0';
    snprintf(g->host, sizeof g->host, "%s", at + bracketed);
    return true;
}

static bool fleet_read(struct fleet *fleet, const char *path, struct error *err)
{
    char line[LINE_SIZE];
    bool ok = true;
    FILE *file = fopen(path, "re");
    if (!file)
        return error_set(err, "cannot open '%s': %s", path, strerror(errno));
    fleet->all = memory_zeroed(GATEWAYS_MAX, sizeof *fleet->all);
    for (unsigned n = 1; ok && fgets(line, sizeof line, file); n++)
        ok = fleet_add(fleet, line, n, err);
    fclose(file);
    return ok && (fleet->count > 0 || error_set(err, "'%s' has no gateway", path));
}

static void fleet_free(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        if (fleet->all[i].fd >= 0)
            close(fleet->all[i].fd);
        free(fleet->all[i].answer.buf);
        json_decref(fleet->all[i].state);
    }
    free(fleet->all);
}

// Asking.

static void fleet_fail(struct fleet_gateway *g, const char *problem)
{
    if (g->fd >= 0)
        close(g->fd);
    g->fd = -1;
    g->problem = problem;
}

static void fleet_connect(struct fleet_gateway *g, int64_t until)
{
    struct resolve_address all[RESOLVE_MAX];
    struct error err;
    const int64_t left = until - clock_now();
    if (left <= 0 || resolve_all_within(left < CLOCK_US_PER_S ? left : CLOCK_US_PER_S, g->host,
                                        g->port, RESOLVE_AS_FOUND, all, &err) == 0) {
        g->problem = "its name is not known";
        return;
    }
    g->fd = socket(all[0].storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (g->fd >= 0 &&
        connect(g->fd, (const struct sockaddr *)&all[0].storage, all[0].length) != 0 &&
        errno != EINPROGRESS)
        fleet_fail(g, strerror(errno));
}

// Sends the request once the connection stands.
static void fleet_ask(struct fleet_gateway *g)
{
    char request[LINE_SIZE + 100];
    int problem = 0;
    socklen_t size = sizeof problem;
    getsockopt(g->fd, SOL_SOCKET, SO_ERROR, &problem, &size);
    const int length =
        snprintf(request, sizeof request,
                 "GET /state.json HTTP/1.1\r\nHost: %s:%u\r\nConnection: close\r\n\r\n",
                 strchr(g->host, ':') ? "localhost" : g->host, (unsigned)g->port);
    g->asked = true;
    if (problem != 0)
        fleet_fail(g, strerror(problem));
    else if (send(g->fd, request, (size_t)length, MSG_NOSIGNAL) != length)
        fleet_fail(g, "it takes no request");
}

// Takes the state from a whole answer.
static void fleet_take(struct fleet_gateway *g)
{
    static const char OK[] = "HTTP/1.1 200", END[] = "\r\n\r\n";
    const char *body = strstr(g->answer.buf, END);
    if (strncmp(g->answer.buf, OK, sizeof OK - 1) == 0 && body)
        g->state = json_loads(body + sizeof END - 1, JSON_DISABLE_EOF_CHECK, NULL);
    fleet_fail(g, "it has no page: set metrics { page = true }");
    if (json_is_object(json_object_get(g->state, "health")))
        return;
    json_decref(g->state);
    g->state = NULL;
}

static void fleet_receive(struct fleet_gateway *g)
{
    char piece[16384];
    if (!g->answer.buf)
        g->answer = text_in(memory_get(ANSWER_MAX), ANSWER_MAX);
    const ssize_t n = recv(g->fd, piece, sizeof piece, 0);
    if (n > 0)
        text_add_n(&g->answer, piece, (size_t)n);
    if (g->answer.cut)
        fleet_fail(g, "its answer is too long");
    else if (n == 0)
        fleet_take(g);
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        fleet_fail(g, strerror(errno));
}

// Asks all gateways at once.
static void fleet_ask_all(struct fleet *fleet)
{
    struct pollfd *fds = memory_zeroed(fleet->count, sizeof *fds);
    const int64_t until = clock_now() + PATIENCE_US;
    for (size_t i = 0; i < fleet->count; i++)
        fleet_connect(&fleet->all[i], until);
    for (size_t open = 1; open > 0 && clock_now() < until;) {
        open = 0;
        for (size_t i = 0; i < fleet->count; i++) {
            const struct fleet_gateway *g = &fleet->all[i];
            fds[i] = (struct pollfd){.fd = g->fd, .events = g->asked ? POLLIN : POLLOUT};
            open += g->fd >= 0;
        }
        if (open == 0 || poll(fds, fleet->count, 1000) <= 0)
            continue;
        for (size_t i = 0; i < fleet->count; i++) {
            struct fleet_gateway *g = &fleet->all[i];
            if (fds[i].revents != 0 && g->asked)
                fleet_receive(g);
            else if (fds[i].revents != 0)
                fleet_ask(g);
        }
    }
    free(fds);
}

static bool fleet_begin(struct fleet *fleet, const struct arguments *a, struct error *err)
{
    *fleet = (struct fleet){.all = NULL};
    if (!fleet_read(fleet, a->values[OPTION_FLEET], err)) {
        fleet_free(fleet);
        return false;
    }
    fleet_ask_all(fleet);
    return true;
}

static json_t *fleet_silent(const struct fleet *fleet)
{
    json_t *list = json_array();
    for (size_t i = 0; i < fleet->count; i++) {
        const struct fleet_gateway *g = &fleet->all[i];
        if (!g->state)
            json_array_append_new(list, json_pack("{s:s, s:i, s:s}", "host", g->host, "port",
                                                  (int)g->port, "problem", g->problem));
    }
    return list;
}

static bool fleet_show_silent(FILE *out, const json_t *answer)
{
    show_each(out, "NO ANSWER: {host} port {port}: {problem}\n", json_object_get(answer, "silent"));
    return true;
}

static bool fleet_end(struct fleet *fleet, const struct arguments *a, json_t *answer,
                      const struct show_form *form, struct error *err)
{
    json_object_set_new(answer, "silent", fleet_silent(fleet));
    fleet_free(fleet);
    return request_command_write(a, form, answer, err);
}

// Alarms.

static bool fleet_is_active(const json_t *state)
{
    return json_is_true(json_object_get(json_object_get(state, "role"), "active"));
}

// Puts the alarms of a gateway into the object, by fabric and key. Of a pair, the active gateway
// comes last.
static void fleet_put_alarms(json_t *by_key, const json_t *state)
{
    size_t i;
    const json_t *one, *list = json_object_get(state, "alarms");
    json_array_foreach(list, i, one)
    {
        char key[LINE_SIZE];
        snprintf(key, sizeof key, "%s %s", member_word(one, "fabric"), member_word(one, "key"));
        json_object_set(by_key, key, (json_t *)one);
    }
}

static int fleet_compare(const void *a, const void *b)
{
    const json_t *one = *(json_t *const *)a, *other = *(json_t *const *)b;
    enum severity x = SEVERITY_DEBUG, y = SEVERITY_DEBUG;
    severity_find(member_word(one, "severity"), &x);
    severity_find(member_word(other, "severity"), &y);
    return x != y ? (int)x - (int)y
                  : strcmp(member_word(other, "raised"), member_word(one, "raised"));
}

static json_t *fleet_sort(json_t *by_key)
{
    const char *key;
    json_t *one, *list = json_array(),
                 **all = memory_zeroed(json_object_size(by_key) + 1, sizeof *all);
    size_t n = 0;
    json_object_foreach(by_key, key, one) all[n++] = one;
    qsort(all, n, sizeof *all, fleet_compare);
    for (size_t i = 0; i < n; i++)
        json_array_append(list, all[i]);
    free(all);
    json_decref(by_key);
    return list;
}

enum command_outcome fleet_commands_alarms(const struct arguments *a, struct error *err)
{
    static const struct show_form FORM = {
        .list = "alarms",
        .none = "No alarm is active at the gateways that answer.\n",
        .line = "{fabric:-20} {raised@}  {severity#13}  {event}\n{text>10}",
        .rest = fleet_show_silent};
    struct fleet fleet;
    if (!fleet_begin(&fleet, a, err))
        return COMMAND_REFUSED;
    json_t *by_key = json_object();
    long long left_out = 0;
    for (int active = 0; active <= 1; active++) {
        for (size_t i = 0; i < fleet.count; i++) {
            if (fleet.all[i].state && fleet_is_active(fleet.all[i].state) == active)
                fleet_put_alarms(by_key, fleet.all[i].state);
            left_out += active ? member_count(fleet.all[i].state, "alarms_left_out") : 0;
        }
    }
    json_t *answer =
        json_pack("{s:o, s:I}", "alarms", fleet_sort(by_key), "left_out", (json_int_t)left_out);
    return command_outcome(fleet_end(&fleet, a, answer, &FORM, err));
}

// Verdicts.

enum command_outcome fleet_commands_health(const struct arguments *a, struct error *err)
{
    static const struct show_form FORM = {.list = "gateways",
                                          .line = "{fabric:-20} {host}:{port} {state#9} {line~40}",
                                          .rest = fleet_show_silent};
    struct fleet fleet;
    if (!fleet_begin(&fleet, a, err))
        return COMMAND_UNKNOWN;
    json_t *list = json_array();
    enum command_outcome worst = COMMAND_DONE;
    for (size_t i = 0; i < fleet.count; i++) {
        const struct fleet_gateway *g = &fleet.all[i];
        const json_t *health = json_object_get(g->state, "health");
        const json_t *of = json_object_get(health, member_word(health, "worse"));
        const char *state = g->state ? member_word(health, "state") : "critical";
        if (strcmp(state, "critical") == 0)
            worst = COMMAND_CRITICAL;
        else if (strcmp(state, "ok") != 0 && worst == COMMAND_DONE)
            worst = COMMAND_WARNING;
        if (g->state)
            json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:s, s:s}", "fabric",
                                                  member_word(g->state, "fabric_name"), "host",
                                                  g->host, "port", (int)g->port, "state", state,
                                                  "line", member_word(of, "line")));
    }
    json_t *answer = json_pack("{s:o}", "gateways", list);
    return fleet_end(&fleet, a, answer, &FORM, err) ? worst : COMMAND_UNKNOWN;
}
