// SPDX-License-Identifier: BSD-2-Clause
// The active alarms for the page.
#ifndef IBTRAPD_PAGE_PAGE_ALARMS_H
#define IBTRAPD_PAGE_PAGE_ALARMS_H

#include "journal/journal.h"
#include "model/fabric.h"
#include "model/names.h"
#include "page/page_names.h"

#include <jansson.h>

enum { PAGE_ALARMS_MAX = 200 }; // that the page shows

// The worst alarms, and of equally bad ones the newest, PAGE_ALARMS_MAX at most: those that nobody
// works on, then those that are acknowledged or shelved. Each has its ends. `fabric` and `names`
// may be NULL; `then` knows the names of what is gone. A new reference.
json_t *page_alarms_json(struct journal *journal, const struct fabric *fabric,
                         const struct names *names, struct page_names *then);

#endif
