// SPDX-License-Identifier: BSD-2-Clause
// Answers the commands about the fabric. The fabric leaves the daemon as its record, of which
// ibtrapctl makes JSON, text and pictures (ctl/fabric_request.h).
#ifndef IBTRAPD_CONTROL_TOPOLOGY_ANSWERS_H
#define IBTRAPD_CONTROL_TOPOLOGY_ANSWERS_H

#include "control/control.h"

// "topology", with item "snapshot" (0 or missing: the fabric as it is now): the record of the
// snapshot (model/fabric_record.h) and behind it all names of nodes and ports (names_pack), as
// hexadecimal digits in item "octets". "record" is the number of the record's octets.
//
// A long answer comes in pages. A page begins at octet "first". Item "more" has the items that
// request the next page: "first" and "digest". If the snapshot is another one by then, the page
// begins at octet 0 again.
json_t *topology_answers_show(struct control *control, const json_t *request);

// "topology-list": the snapshots that the journal has, oldest first.
json_t *topology_answers_list(struct control *control, const json_t *request);

#endif
