// SPDX-License-Identifier: BSD-2-Clause
// The protocol of the control socket: the client sends one JSON object per line and gets one back.
#ifndef IBTRAPD_CTL_PROTOCOL_H
#define IBTRAPD_CTL_PROTOCOL_H

enum {
    PROTOCOL_VERSION = 1,      // "version" of requests and answers
    PROTOCOL_LINE_MAX = 65536, // octets of a request
};

#endif
