// SPDX-License-Identifier: BSD-2-Clause
#include "view.h"

#include "require.h"

#include "model/catalogue.h"

#include <string.h>

void view_begin(struct view *view, const char *name, const struct gateway_filter *filter)
{
    view->name = name;
    view->filter = *filter;
    view->key_count = view->id_count = 0;
    view->stray[0] = view->again[0] = view->unraised[0] = '\0';
    view->keyless = false;
}

static bool has_id(const struct view *view, const char *id)
{
    for (unsigned i = view->id_count; i-- > 0;) {
        if (strcmp(view->ids[i], id) == 0)
            return true;
    }
    return false;
}

static unsigned find_key(const struct view *view, const char *key)
{
    unsigned i = 0;
    while (i < view->key_count && strcmp(view->keys[i], key) != 0)
        i++;
    return i;
}

void view_take(struct view *view, const struct event *event)
{
    const enum alarm_role role = event_alarm(event);
    if (event->clears_id[0] != '\0' && !has_id(view, event->clears_id))
        snprintf(view->stray, sizeof view->stray, "%s", event->alarm_key);
    REQUIRE(view->id_count < VIEW_IDS_MAX);
    memcpy(view->ids[view->id_count++], event->id, EVENT_ID_SIZE);
    view->keyless |= event->type && event->type->alarm != role && !event->test;
    if (role != ALARM_RAISES && role != ALARM_CLEARS)
        return;
    unsigned i = find_key(view, event->alarm_key);
    REQUIRE(i < VIEW_KEYS_MAX);
    if (i == view->key_count) {
        view->raised[i] = false;
        memcpy(view->keys[view->key_count++], event->alarm_key, EVENT_KEY_SIZE);
    }
    if (role == ALARM_RAISES && view->raised[i] && event->severity >= view->severity[i])
        memcpy(view->again, event->alarm_key, sizeof view->again);
    if (role == ALARM_CLEARS && event->cleared && !view->raised[i])
        memcpy(view->unraised, event->alarm_key, sizeof view->unraised);
    view->raised[i] = role == ALARM_RAISES;
    view->severity[i] = event->severity;
}

bool view_believes(const void *view, const char *key)
{
    const struct view *v = view;
    unsigned i = find_key(v, key);
    return i < v->key_count && v->raised[i];
}
