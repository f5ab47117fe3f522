// SPDX-License-Identifier: BSD-2-Clause
// A port in front of another port, which also receives Reports of the test.
#pragma once

#include "ib/mad_io.h"

struct report_port;

// `inner` opens the port below; it is copied. Free it when no port is open.
struct report_port *report_port_new(const struct mad_opener *inner);
void report_port_free(struct report_port *port);

struct mad_opener report_port_opener(struct report_port *port);

// Makes a Report arrive soon: a node has changed its system image GUID to `guid`. Two Reports with
// the same GUID are two Reports, not a repeated Report. Any thread.
void report_port_push(struct report_port *port, uint64_t guid);

// How many of them are not answered yet: an answered one is in the journal. Any thread.
size_t report_port_left(struct report_port *port);
