// SPDX-License-Identifier: BSD-2-Clause
#include "sink/answers.h"

static atomic_size_t answers_octets, answers_peers; // of all

void answers_begin(struct answers *answers)
{
    atomic_init(&answers->octets, 0);
    atomic_fetch_add(&answers_peers, 1);
}

void answers_end(struct answers *answers)
{
    answers_drop(answers);
    atomic_fetch_sub(&answers_peers, 1);
}

void answers_add(struct answers *answers, size_t octets)
{
    atomic_fetch_add(&answers->octets, octets);
    atomic_fetch_add(&answers_octets, octets);
}

void answers_give_back(struct answers *answers, size_t octets)
{
    atomic_fetch_sub(&answers->octets, octets);
    atomic_fetch_sub(&answers_octets, octets);
}

void answers_drop(struct answers *answers)
{
    atomic_fetch_sub(&answers_octets, atomic_exchange(&answers->octets, 0));
}

bool answers_are_full(size_t max)
{
    return atomic_load(&answers_octets) > max;
}

bool answers_are_beyond(const struct answers *answers, size_t max)
{
    return answers_are_full(max) &&
           atomic_load(&answers->octets) > max / atomic_load(&answers_peers);
}
