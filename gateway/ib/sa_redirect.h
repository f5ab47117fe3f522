// SPDX-License-Identifier: BSD-2-Clause
// Where the SA is, if not at the SM: an SA may answer a request with ClassPortInfo and the address
// to which it is to be sent (IBA 13.4.8.1, 13.5.2). Pure; for the SA client's thread.
#ifndef IBTRAPD_IB_SA_REDIRECT_H
#define IBTRAPD_IB_SA_REDIRECT_H

#include "ib/mad_io.h"

struct sa_redirect {
    struct mad_address to; // its LID is 0: there is none
    unsigned steps;        // to another address, since the SA last stayed at one
    unsigned repeats;      // redirections to the address in force, since then
    int64_t changed_at;    // monotonic microseconds: the last step
    int64_t ignore_until;  // the same; there were too many
};

enum sa_redirection {
    SA_REDIRECT_FOLLOW, // send the request to `to`
    SA_REDIRECT_REFUSE, // `reason` says why it is not followed; the answer is a refusal
};

// Takes an answer with the status of a redirection, from the address with that LID. Follows a few
// until the SA answers from one address for ten seconds; then, as they lead round in a circle or on
// without end, none for a minute. `prefix`: of the own port's GID. `reason`: part of a sentence.
enum sa_redirection sa_redirect_take(struct sa_redirect *r, const struct mad_received *in,
                                     uint64_t prefix, int64_t now, struct error *reason);

// The SA answered a request otherwise.
void sa_redirect_served(struct sa_redirect *r, int64_t now);

// The SM is to be asked again, as it is another one, or as nobody answers at the address.
void sa_redirect_forget(struct sa_redirect *r);

#endif
