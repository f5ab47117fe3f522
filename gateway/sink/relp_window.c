// SPDX-License-Identifier: BSD-2-Clause
#include "sink/relp_window.h"

#include "sink/relp_frame.h"

uint32_t relp_window_take_number(struct relp_window *window)
{
    uint32_t number = window->next;
    window->next = number == RELP_FRAME_NUMBER_MAX ? 1 : number + 1;
    return number;
}

void relp_window_add(struct relp_window *window)
{
    window->confirmed[(window->head + window->pending++) % RELP_WINDOW] = false;
}

// How many transactions ago that transaction was; 1: it is the last one.
static uint32_t age_of(const struct relp_window *w, uint32_t transaction)
{
    return (w->next + RELP_FRAME_NUMBER_MAX - transaction) % RELP_FRAME_NUMBER_MAX;
}

int relp_window_find(const struct relp_window *w, uint32_t transaction)
{
    uint32_t age = age_of(w, transaction);
    if (age == 0 || age > w->pending || w->confirmed[(w->head + w->pending - age) % RELP_WINDOW])
        return -1;
    return (int)(w->pending - age);
}

bool relp_window_confirm(struct relp_window *window, uint32_t transaction)
{
    const int place = relp_window_find(window, transaction);
    if (place >= 0)
        window->confirmed[(window->head + (unsigned)place) % RELP_WINDOW] = true;
    return place >= 0;
}

int relp_window_pass(struct relp_window *window)
{
    int n = 0;
    for (; window->pending > 0 && window->confirmed[window->head]; n++) {
        window->head = (window->head + 1) % RELP_WINDOW;
        window->pending--;
    }
    return n;
}
