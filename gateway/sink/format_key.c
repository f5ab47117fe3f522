// SPDX-License-Identifier: BSD-2-Clause
#include "sink/format_key.h"

#include "base/text.h"

size_t format_key(const struct event *event, char out[FORMAT_KEY_SIZE])
{
    struct text t = text_in(out, FORMAT_KEY_SIZE);
    const uint64_t guid = event->subject.guid != 0 ? event->subject.guid : event->issuer.guid;
    const uint16_t lid = event->subject.lid != 0 ? event->subject.lid : event->issuer.lid;
    if (event_alarm(event) != ALARM_NONE) {
        text_add(&t, event->alarm_key);
    } else if (guid != 0) {
        text_add(&t, "0x");
        text_add_hex_number(&t, guid, 16);
    } else if (lid != 0) {
        text_add(&t, "lid ");
        text_add_number(&t, lid);
    }
    return t.len;
}
