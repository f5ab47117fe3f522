// SPDX-License-Identifier: BSD-2-Clause
#include "model/link_reason.h"

// How definite a reason is.
enum { VAGUE, SYMPTOM, ERRORS, ACT, CABLE };

// `first` to `last`: numbers of local_reason, or of the status opcode.
struct link_reason_row {
    uint16_t first, last;
    uint8_t weight;
    bool elsewhere; // the port speaks of its peer
    const char *words;
};

static const struct link_reason_row LOCAL[] = {
    {2, 2, ERRORS, false, "too many bit errors"},
    {3, 3, SYMPTOM, false, "the receiver lost the block lock"},
    {4, 4, SYMPTOM, false, "the lanes lost their alignment"},
    {5, 5, SYMPTOM, false, "the error correction lost its synchronization"},
    {6, 6, SYMPTOM, false, "the receiver lost the clock"},
    {7, 7, SYMPTOM, false, "a FIFO ran over"},
    {8, 8, SYMPTOM, false, "false SKIP conditions"},
    {9, 9, ERRORS, false, "too many minor errors"},
    {10, 10, SYMPTOM, false, "retransmissions were not confirmed in time"},
    {11, 11, SYMPTOM, false, "the heartbeat of the link failed"},
    {12, 12, SYMPTOM, false, "no credits came in time"},
    {13, 13, ERRORS, false, "too many errors of link integrity"},
    {14, 14, ERRORS, false, "too many buffer overruns"},
    {15, 15, ACT, false, "a command took the healthy link down"},
    {16, 16, ERRORS, false, "a command took the link down for its bit errors"},
    {17, 17, ACT, false, "a management packet took the healthy link down"},
    {18, 18, ERRORS, false, "a management packet took the link down for its bit errors"},
    {19, 19, ACT, false, "the verification of the gateway failed"},
    {20, 20, VAGUE, false, "the port was told of a fault at the other end"},
    {21, 21, VAGUE, false, "the other end began to train the link anew"},
    {22, 22, ACT, false, "a management command took the link down"},
    {23, 23, CABLE, false, "the cable was unplugged"},
    {24, 24, CABLE, false, "the cable could not be read"},
    {25, 25, CABLE, false, "the cable was too hot and shut down"},
    {26, 26, CABLE, false, "the cable drew too much current"},
    {27, 27, CABLE, false, "the cable needs more power than the port has"},
    {28, 28, ERRORS, false, "too many raw bit errors"},
    {29, 29, ERRORS, false, "too many bit errors after correction"},
    {30, 30, ERRORS, false, "too many symbol errors"},
    {31, 31, SYMPTOM, false, "no credits came in time"},
    {32, 32, ACT, true, "the port went to sleep"},
    {33, 34, ACT, true, "the port was disabled"},
    {35, 35, CABLE, true, "the port was too hot"},
    {36, 36, ACT, true, "the port was forced down"},
    {37, 37, ACT, true, "the port was reset"},
    {38, 38, ACT, false, "the port was reset"},
    {39, 39, ERRORS, false, "too many packets had to be repeated"},
    {40, 40, ACT, false, "the hardware forced the link down"},
    {42, 42, SYMPTOM, false, "the port did not leave its power saving state L1"},
    {43, 43, ERRORS, false, "the link had to recover too often"},
    {44, 44, ACT, false, "the port is isolated (contain mode)"},
    {45, 45, ERRORS, false, "too much bandwidth was lost"},
    {46, 46, CABLE, false, "the external laser failed"},
    {47, 47, ERRORS, false, "too many symbol errors"},
    {50, 50, VAGUE, false, "the port saw a fault of its own"},
    {51, 51, VAGUE, false, "the link was interrupted"},
    {58, 58, ERRORS, false, "too much bandwidth was lost in recoveries"},
    {59, 59, ACT, true, "the port is isolated (contain mode)"},
    {60, 60, CABLE, false, "the module was reset or went to low power"},
    {61, 61, ACT, false, "the receiver is isolated (contain mode)"},
    {62, 62, ACT, false, "the transmitter is isolated (contain mode)"},
};

static const struct link_reason_row STATUS[] = {
    {1, 1, ACT, false, "a command closed the port"},
    {2, 4, SYMPTOM, false, "the ends do not agree about the rate of the link"},
    {5, 8, SYMPTOM, false, "the link cannot be trained"},
    {14, 14, VAGUE, false, "the port was told of a fault at the other end"},
    {15, 15, SYMPTOM, false, "the signal is bad"},
    {16, 16, CABLE, false, "the cable does not fit the port"},
    {17, 17, SYMPTOM, false, "the signal is bad"},
    {24, 32, CABLE, false, "the cable does not fit the port"},
    {34, 35, SYMPTOM, false, "the port reduced its rate"},
    {38, 39, SYMPTOM, false, "the ends do not agree about the rate of the link"},
    {42, 42, SYMPTOM, false, "the signal is bad"},
    {48, 49, SYMPTOM, false, "the signal is bad"},
    {52, 52, SYMPTOM, false, "the signal is bad"},
    {57, 57, VAGUE, false, "there is no signal"},
    {60, 60, SYMPTOM, false, "the ends do not agree about the rate of the link"},
    {62, 66, SYMPTOM, false, "the link cannot be trained"},
    {69, 69, SYMPTOM, false, "the ends do not agree about the rate of the link"},
    {70, 70, ERRORS, false, "too many bit errors"},
    {1024, 1024, CABLE, false, "the cable is unplugged"},
    {1025, 1025, CABLE, false, "the port refuses a long-range cable of another vendor"},
    {1026, 1026, CABLE, false, "the cable's I2C bus is stuck"},
    {1027, 1027, CABLE, false, "the cable's EEPROM cannot be read"},
    {1029, 1029, CABLE, false, "the port does not support the cable"},
    {1030, 1030, CABLE, false, "the cable was too hot and shut down"},
    {1031, 1031, CABLE, false, "the cable has a short circuit"},
    {1032, 1032, CABLE, false, "the cable needs more power than the port has"},
    {1033, 1034, ACT, false, "the module was disabled by a command"},
    {1042, 1042, CABLE, false, "the module does not start"},
    {1047, 1048, CABLE, false, "the module's data path does not start"},
    {1050, 1053, CABLE, false, "the module does not start"},
    {1055, 1063, CABLE, false, "the external laser failed"},
};

#define ROWS(table) (table), sizeof(table) / sizeof *(table)

static const struct link_reason_row *link_reason_find(const struct link_reason_row *rows,
                                                      size_t count, uint16_t number)
{
    for (size_t i = 0; i < count; i++) {
        if (number >= rows[i].first && number <= rows[i].last)
            return &rows[i];
    }
    return NULL;
}

static enum link_end link_reason_opposite(unsigned end)
{
    return end == LINK_END_OWN     ? LINK_END_OTHER
           : end == LINK_END_OTHER ? LINK_END_OWN
                                   : LINK_END_UNKNOWN;
}

// Takes a row for the verdict, if the row is more definite than the row taken so far.
static void link_reason_take(struct link_down_cause *v, const struct link_reason_row **best,
                             const struct link_reason_row *row, enum link_end speaker)
{
    const enum link_end at = row && row->elsewhere ? link_reason_opposite(speaker) : speaker;
    if (!row ||
        (*best && (row->weight < (*best)->weight ||
                   (row->weight == (*best)->weight && (v->at == v->blame || at != v->blame)))))
        return;
    *best = row;
    v->at = (uint8_t)at;
    v->words = row->words;
}

// The reason at an end: the end's own, or else that which the peer was told of.
static uint8_t link_reason_at(const struct link_reason *end, const struct link_reason *peer)
{
    enum { NOT_TOLD = 1 }; // 0: none, 1: unknown
    if (end->local > NOT_TOLD || !peer->known)
        return end->local;
    return peer->remote;
}

struct link_down_cause link_reason_judge(const struct link_reason *own,
                                         const struct link_reason *other)
{
    const struct link_reason_row *best = NULL;
    struct link_down_cause v = {.local = link_reason_at(own, other),
                                .remote = link_reason_at(other, own),
                                .blame = own->blame ? own->blame
                                                    : (uint8_t)link_reason_opposite(other->blame)};
    link_reason_take(&v, &best, link_reason_find(ROWS(LOCAL), v.local), LINK_END_OWN);
    link_reason_take(&v, &best, link_reason_find(ROWS(LOCAL), v.remote), LINK_END_OTHER);
    link_reason_take(&v, &best, link_reason_find(ROWS(STATUS), own->status), LINK_END_OWN);
    link_reason_take(&v, &best, link_reason_find(ROWS(STATUS), other->status), LINK_END_OTHER);
    const bool of_other = v.at == LINK_END_OTHER ? other->message[0] != '\0' : !own->message[0];
    v.message = of_other ? other->message : own->message;
    return v;
}

const char *link_reason_words(uint8_t local)
{
    const struct link_reason_row *row = link_reason_find(ROWS(LOCAL), local);
    return row ? row->words : "";
}

const char *link_end_word(uint8_t end)
{
    return end == LINK_END_OWN ? "own" : end == LINK_END_OTHER ? "other" : "";
}
