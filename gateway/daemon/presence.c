// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/presence.h"

#include "base/memory.h"
#include "base/text.h"
#include "ctl/protocol.h"
#include "daemon/gateway.h"
#include "daemon/loop.h"
#include "daemon/wiring.h"
#include "install.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOCUMENT_MAX = 4096 };                                  // octets, of another gateway's
static const int64_t SWEEP_PATIENCE_US = 600 * CLOCK_US_PER_S; // for the first sweep

struct presence {
    struct gateway *gateway;
    struct event *timer;  // NULL: not started
    pthread_mutex_t lock; // guards the members below
    char *document;       // NULL: none yet
    int64_t made_at;      // monotonic
    enum health_state state;
    bool standby;
    uint64_t port;                        // its GUID; 0: no port is open
    char suspect[CONF_GATEWAY_NAME_SIZE]; // may write the same alarms; empty: none
    char suspect_time[40];                // of its document
};

struct presence *presence_new(struct gateway *gateway)
{
    struct presence *p = memory_zeroed(1, sizeof *p);
    p->gateway = gateway;
    pthread_mutex_init(&p->lock, NULL);
    return p;
}

void presence_free(struct presence *presence)
{
    if (!presence)
        return;
    if (presence->timer)
        event_free(presence->timer);
    pthread_mutex_destroy(&presence->lock);
    free(presence->document);
    free(presence);
}

// The document.

static char *presence_write(const struct gateway *g, const struct health *h, uint64_t port)
{
    const enum health_about worse = health_worse(h);
    char line[HEALTH_LINE_SIZE];
    struct text t = text_in(line, sizeof line);
    struct sweeper_status sweep = {0};
    struct sweeper *sweeper = atomic_load(&g->parts.sweeper);
    if (sweeper)
        sweeper_get_status(sweeper, &sweep);
    health_add_line(h, worse, &t);
    json_t *o = json_pack("{s:o, s:s, s:o, s:s, s:s, s:o, s:s, s:o, s:o}", "fabric",
                          protocol_text(g->parts.fabric_name), "gateway", g->parts.gateway_name,
                          "time", protocol_time(clock_utc(&clock_system)), "release",
                          INSTALL_VERSION, "state", health_word(h->of[worse].state), "line",
                          protocol_text(line), "role", h->standby ? "standby" : "active",
                          "lastSweep", protocol_time(sweep.last_begin_us), "portGuid",
                          port ? protocol_guid(port) : json_null());
    char *text = memory_need(json_dumps(o, JSON_COMPACT));
    json_decref(o);
    return text;
}

static void presence_look(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct presence *p = ctx;
    struct health h;
    struct sa_status sa;
    const int64_t now = clock_now();
    parts_judge(&p->gateway->parts, &h);
    sa_client_status(p->gateway->parts.client, &sa);
    const uint64_t port = sa.open ? sa.id.guid : 0;
    const enum health_state state = h.of[health_worse(&h)].state;
    if (p->document && state == p->state && h.standby == p->standby && port == p->port &&
        now - p->made_at < PRESENCE_PERIOD_S * CLOCK_US_PER_S)
        return;
    char *document = presence_write(p->gateway, &h, port);
    pthread_mutex_lock(&p->lock);
    free(p->document);
    p->document = document;
    p->state = state;
    p->standby = h.standby;
    p->port = port;
    p->made_at = now;
    pthread_mutex_unlock(&p->lock);
}

void presence_start(struct presence *presence)
{
    const struct timeval period = {.tv_sec = PRESENCE_LOOK_S};
    presence->timer = memory_need(
        event_new(loop_base(presence->gateway->loop), -1, EV_PERSIST, presence_look, presence));
    event_add(presence->timer, &period);
    event_active(presence->timer, EV_TIMEOUT, 0); // once the loop runs
}

char *presence_document(struct presence *presence)
{
    pthread_mutex_lock(&presence->lock);
    char *copy = presence->document ? memory_copy(presence->document) : NULL;
    pthread_mutex_unlock(&presence->lock);
    return copy;
}

// Other gateways.

static bool presence_is_guid(const char *text)
{
    const size_t length = strlen(text);
    return length > 2 && length <= 18 && strncmp(text, "0x", 2) == 0 &&
           strspn(text + 2, "0123456789abcdef") == length - 2;
}

// Whether the port is known not to be in this fabric. `*again`: the first sweep will tell.
static bool presence_is_elsewhere(const struct presence *p, const char *guid, bool *again)
{
    const int64_t runs_us = clock_now() - p->gateway->parts.started_at;
    struct fabric *fabric = topology_current(p->gateway->parts.topology);
    const bool elsewhere =
        fabric && fabric_find_port_guid(fabric, strtoull(guid, NULL, 16)) == FABRIC_NONE;
    *again = !fabric && runs_us < SWEEP_PATIENCE_US;
    fabric_unref(fabric);
    return elsewhere;
}

static void presence_tell(struct presence *p, const char *gateway, const char *guid, bool elsewhere)
{
    char reason[EVENT_REASON_SIZE];
    if (elsewhere)
        snprintf(reason, sizeof reason,
                 "the gateway %s calls its fabric '%s', too, and its port %s is not in this fabric",
                 gateway, p->gateway->parts.fabric_name, guid);
    else
        snprintf(reason, sizeof reason, "the gateway %s of this fabric is active, too", gateway);
    wiring_emit(p->gateway, CATALOGUE_FABRIC_NAME_SHARED, NULL, reason, 0);
}

// Returns whether the gateway is suspected for the first time. Under the lock.
static bool presence_suspect(struct presence *p, const char *gateway, const char *time,
                             bool *is_alive)
{
    const bool first = strcmp(p->suspect, gateway) != 0;
    *is_alive = !first && strcmp(p->suspect_time, time) != 0;
    snprintf(p->suspect, sizeof p->suspect, "%s", gateway);
    snprintf(p->suspect_time, sizeof p->suspect_time, "%s", time);
    return first;
}

bool presence_heard(struct presence *presence, const char *gateway, const char *document,
                    size_t size)
{
    const char *guid = NULL, *time = NULL, *role = "";
    char name[CONF_GATEWAY_NAME_SIZE];
    bool again = false, is_alive = false;
    text_clean(gateway, strlen(gateway), name, sizeof name);
    json_t *o = size <= DOCUMENT_MAX ? json_loadb(document, size, 0, NULL) : NULL;
    const bool reads =
        o &&
        json_unpack(o, "{s:s, s:s, s?s}", "portGuid", &guid, "time", &time, "role", &role) == 0 &&
        presence_is_guid(guid) && strcmp(name, presence->gateway->parts.gateway_name) != 0;
    const bool elsewhere = reads && presence_is_elsewhere(presence, guid, &again);
    const bool same = reads && !elsewhere && strcmp(role, "active") == 0 &&
                      pipeline_is_active(presence->gateway->parts.pipeline);
    pthread_mutex_lock(&presence->lock);
    if (elsewhere || same)
        again |= presence_suspect(presence, name, time, &is_alive);
    else if (strcmp(presence->suspect, name) == 0)
        presence->suspect[0] = '\0';
    pthread_mutex_unlock(&presence->lock);
    if (is_alive)
        presence_tell(presence, name, guid, elsewhere);
    json_decref(o);
    return again;
}
