// What the SA client says of its port and of the subnet manager. Pure functions; each writes a part
// of a sentence, cut to `size`.
#ifndef IBTRAPD_IB_SA_WORDS_H
#define IBTRAPD_IB_SA_WORDS_H

#include "ib/mad.h"
#include "ib/mad_io.h"

// "the subnet manager at LID 7 (its node's description)".
void sa_words_sm(const struct mad_node *sm, uint16_t lid, char *out, size_t size);

void sa_words_port_not_ready(const struct mad_port_id *id, const struct mad_port *port, char *out,
                             size_t size);

// What happened to a port that is up, so that the subscriptions are void. False: nothing did.
bool sa_words_port_change(const struct mad_port *old, const struct mad_port *port, char *out,
                          size_t size);

// All of it that changes, for the debug log. False: nothing did.
bool sa_words_port_reading(const struct mad_port *old, const struct mad_port *port, char *out,
                           size_t size);

#endif
