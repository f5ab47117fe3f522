// SPDX-License-Identifier: BSD-2-Clause
#include "page/page_names.h"

#include "control/event_answers.h"

static const struct page_name *page_names_keep(struct page_names *names, int64_t number,
                                               const struct event *event)
{
    struct page_name *name = &names->all[names->next];
    names->next = (names->next + 1) % PAGE_NAMES_MAX;
    *name = (struct page_name){.number = number};
    if (event) {
        name->guid = event->subject.node_guid;
        name->peer_guid = event->peer.node_guid;
        memcpy(name->name, event->subject.name, sizeof name->name);
        memcpy(name->peer_name, event->peer.name, sizeof name->peer_name);
    }
    return name;
}

const struct page_name *page_names_find(struct page_names *names, struct journal *journal,
                                        int64_t number)
{
    struct journal_status status;
    for (size_t i = 0; i < PAGE_NAMES_MAX; i++) {
        if (names->all[i].number == number)
            return &names->all[i];
    }
    journal_get_status(journal, &status);
    if (!status.durable || number > journal_last(journal))
        return NULL;
    struct event *event = event_answers_read(journal, number);
    const struct page_name *name = page_names_keep(names, number, event);
    event_unref(event);
    return name;
}
