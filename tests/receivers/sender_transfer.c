// SPDX-License-Identifier: BSD-2-Clause
// For programs that post: transfers as old as the test wants them. Linked with
// --wrap=transfer_options_of.
#include "sender.h"

#include "http/transfer.h"

unsigned sender_renew_ms;

struct transfer_options __real_transfer_options_of(const struct conf_receiver *receiver,
                                                   const char *url, const char *scheme);
struct transfer_options __wrap_transfer_options_of(const struct conf_receiver *receiver,
                                                   const char *url, const char *scheme);
struct transfer_options __wrap_transfer_options_of(const struct conf_receiver *receiver,
                                                   const char *url, const char *scheme)
{
    struct transfer_options options = __real_transfer_options_of(receiver, url, scheme);
    options.renew_ms = sender_renew_ms;
    return options;
}
