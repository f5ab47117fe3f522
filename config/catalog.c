// SPDX-License-Identifier: BSD-2-Clause
// Prints the messages for `journalctl -x`, one for each event type of the catalogue.

#include "model/catalogue.h"
#include "sink/format.h"

#include <stdio.h>

static bool print_message(const struct catalogue_entry *e)
{
    char id[FORMAT_JOURNALD_ID_SIZE];
    if (!format_journald_id(e->name, id))
        return false;
    printf("-- %s\n"
           "Subject: %s\n"
           "Defined-By: ibtrapd\n"
           "Documentation: man:ibtrapd-events(7)\n"
           "\n"
           "The event %s of an InfiniBand subnet, at @IBTRAPD_TIME@.\n"
           "\n"
           "%s\n"
           "\n"
           "What is known about it, and who got it: ibtrapctl explain @IBTRAPD_ID@\n"
           "All of its fields: journalctl -o verbose IBTRAPD_ID=@IBTRAPD_ID@\n"
           "All events of this kind: journalctl IBTRAPD_EVENT=%s\n\n",
           id, e->title, e->name, e->remedy, e->name);
    return true;
}

int main(void)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const struct catalogue_entry *e = catalogue_get((enum catalogue_event)i);
        if (e->name && !print_message(e))
            return 1;
    }
    return ferror(stdout) ? 1 : 0;
}
