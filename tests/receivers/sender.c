// SPDX-License-Identifier: BSD-2-Clause
#include "sender.h"

#include "base/text.h"
#include "model/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 2026-11-21T03:19:03.123456Z
#define FIRST_US INT64_C(1795231143123456)

const char *sender_option(char **args, const char *name, const char *otherwise)
{
    const size_t length = strlen(name);
    for (; *args; args++) {
        if (strncmp(*args, name, length) == 0 && (*args)[length] == '=')
            return *args + length + 1;
    }
    return otherwise;
}

long sender_number(char **args, const char *name, long otherwise)
{
    const char *value = sender_option(args, name, NULL);
    return value ? strtol(value, NULL, 10) : otherwise;
}

struct event *sender_event(long n, const char *node)
{
    static const enum catalogue_event TYPES[] = {
        CATALOGUE_BAD_PKEY_AT_SWITCH, CATALOGUE_LINK_INTEGRITY_THRESHOLD, CATALOGUE_GID_IN_SERVICE,
        CATALOGUE_SUBSCRIPTION_LOST};
    struct event *e = event_make(catalogue_get(TYPES[n % 4]));
    snprintf(e->id, sizeof e->id, "01990000-0000-7000-8000-%012ld", n);
    e->time_us = FIRST_US + n;
    e->subnet_prefix = UINT64_C(0xfe80000000000000);
    e->subject = (struct endpoint){.guid = UINT64_C(0x0002c90300000000) + (uint64_t)n, .lid = 7};
    text_clean(node, strlen(node), e->subject.name, sizeof e->subject.name);
    e->issuer = (struct endpoint){.guid = UINT64_C(0x0002c90300001234), .lid = 3};
    e->notice = (struct notice){.generic = true, .trap = e->type->trap, .lid = 7, .port = 17};
    e->raw_size = e->type->trap ? NOTICE_SIZE : 0;
    memset(e->raw, 0xA5, e->raw_size);
    if (e->type->alarm != ALARM_NONE)
        snprintf(e->alarm_key, sizeof e->alarm_key, "subscriptions");
    return e;
}
