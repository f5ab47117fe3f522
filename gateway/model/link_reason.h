// SPDX-License-Identifier: BSD-2-Clause
// Why a link went down, as the adapters and switches of NVIDIA at its ends say: register PDDR,
// pages "link down" (local_reason, down_blame) and "troubleshooting" (status opcode, message).
// Source of the numbers: Mellanox/mstflint, tools_layouts. Pure.
// Decides: Which end of a link does a sentence blame, and in which words?
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LINK_REASON_MESSAGE_SIZE = 128,
    LINK_REASONS_MAX = 512, // ports at a time
};

// An end of the link. Also down_blame, as seen from the end that answers.
enum link_end { LINK_END_UNKNOWN, LINK_END_OWN, LINK_END_OTHER };

// What a port says. The port of a switch or adapter without these registers says nothing.
struct link_reason {
    uint64_t node_guid;
    uint8_t port;
    bool known;     // the port answered; the rest is zero otherwise
    uint8_t blame;  // enum link_end: whose receiver caused the failure
    uint8_t local;  // the reason at the port
    uint8_t remote; // the reason that the other end gave before the failure
    uint16_t status;
    char message[LINK_REASON_MESSAGE_SIZE]; // the device's own sentence, valid UTF-8
};

// The ports of one request, those without an answer included.
struct link_reasons {
    size_t count;
    bool complete; // no answer follows later
    struct link_reason all[LINK_REASONS_MAX];
};

// What both ends say, seen from the first end.
struct link_down_cause {
    uint8_t blame;         // enum link_end: the end that caused the failure
    uint8_t local, remote; // the reasons at the first and at the other end
    uint8_t at;            // enum link_end: where `words` happened
    const char *words;     // "the cable was unplugged"; NULL: no end has a reason to tell
    const char *message;   // of the end in question, or else of the other end; never NULL
};

// Either end may be unknown. An end's own reason counts more than the other end's report of the
// reason. Of two reasons, the more definite reason counts: an unplugged cable more than bit errors,
// bit errors more than a lost signal. Of equally definite reasons, that of the blamed end counts.
struct link_down_cause link_reason_judge(const struct link_reason *own,
                                         const struct link_reason *other);

// The words of a local reason; empty: the number has no words.
const char *link_reason_words(uint8_t local);

// "own", "other", or empty: unknown.
const char *link_end_word(uint8_t end);
