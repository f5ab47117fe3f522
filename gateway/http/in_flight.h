// SPDX-License-Identifier: BSD-2-Clause
// The kind `http`. Its module (http.c) sends events to an HTTP server in batches (libcurl).
//
// An event is confirmed when the server has answered its request with a status of 2xx, and, for a
// format whose answer says more, when the answer accepts this event. One request at a time is under
// way: the order of the events holds. After a failure the events that are not confirmed are
// sent again: the server may get an event twice, with the same identifier.
//
// Decides: When does an HTTP server have an event?
#pragma once

#include "model/receiver_conf.h"

enum { HTTP_IN_FLIGHT_MAX = 1024, HTTP_BATCH_MAX = HTTP_IN_FLIGHT_MAX / 2 };
