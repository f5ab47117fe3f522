// SPDX-License-Identifier: BSD-2-Clause
// Answers the command about links that fail again and again.
#ifndef IBTRAPD_CONTROL_LINK_ANSWERS_H
#define IBTRAPD_CONTROL_LINK_ANSWERS_H

#include "control/control.h"

enum { LINK_ANSWERS_MAX = 1000, LINK_ANSWERS_DEFAULT = 20 }; // links in an answer

// "links": the links with the latest occasions; with "worst" 1, those with the most. "limit" says
// how many; 0: LINK_ANSWERS_DEFAULT.
json_t *link_answers_list(struct control *control, const json_t *request);

#endif
