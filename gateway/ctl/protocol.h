// The protocol of the control socket: one JSON object a line from the client, one back for each.
#ifndef IBTRAPD_CTL_PROTOCOL_H
#define IBTRAPD_CTL_PROTOCOL_H

enum {
    PROTOCOL_VERSION = 1,      // "version" of requests and answers
    PROTOCOL_LINE_MAX = 65536, // octets of a request
};

#endif
