// SPDX-License-Identifier: BSD-2-Clause
// The changes that the SA client reports to its listener. For the client's thread.
#ifndef IBTRAPD_IB_SA_CHANGES_H
#define IBTRAPD_IB_SA_CHANGES_H

#include "ib/sa_state.h"

// `reason` is part of a sentence, without a full stop.
void sa_changes_emit(struct sa_client *a, enum sa_change change, const char *reason);

// Discards all answers of the SM and asks again. Reports that the subscriptions were lost, if they
// were held.
void sa_changes_subscribe_again(struct sa_client *a, int64_t now, const char *reason);

// Reports that the subscriptions are held again, or that they could not be had for too long.
void sa_changes_check_settled(struct sa_client *a, int64_t now);

#endif
