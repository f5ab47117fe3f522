// SPDX-License-Identifier: BSD-2-Clause
// Describes the SA client's port and the subnet manager in words. Pure functions; each writes a
// part of a sentence, truncated to `size`.
#ifndef IBTRAPD_IB_SA_WORDS_H
#define IBTRAPD_IB_SA_WORDS_H

#include "ib/mad.h"
#include "ib/mad_io.h"

// "the subnet manager at LID 7 (its node's description)".
void sa_words_sm(const struct mad_node *sm, uint16_t lid, char *out, size_t size);

// "port 1 of mlx5_0 is not ready (state down, LID 0, SM LID 0)".
void sa_words_port_not_ready(const struct mad_port_id *id, const struct mad_port *port, char *out,
                             size_t size);

// The change of a port that is up after which the client has to subscribe again. False: there is no
// such change.
bool sa_words_port_change(const struct mad_port *old, const struct mad_port *port, char *out,
                          size_t size);

// All values of a port, old and new, for the debug log. False: none changed.
bool sa_words_port_reading(const struct mad_port *old, const struct mad_port *port, char *out,
                           size_t size);

#endif
