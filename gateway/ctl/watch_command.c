// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/watch_command.h"

#include "base/clock.h"
#include "ctl/client.h"
#include "ctl/show.h"
#include "ctl/show_events.h"
#include "ctl/watch_screen.h"

#include <stdlib.h>
#include <string.h>

static const int64_t READ_US = CLOCK_US_PER_S;

struct watch {
    struct watch_data data;
    struct watch_view view;
    char *page; // that the view shows; NULL: none
    size_t page_size;
};

static void watch_note(struct watch *w, const char *text)
{
    snprintf(w->view.note, sizeof w->view.note, "%s", text);
}

static const json_t *watch_selected(const struct watch *w)
{
    return json_array_get(w->data.alarms, w->view.selected);
}

static void watch_leave_page(struct watch *w)
{
    free(w->page);
    w->page = NULL;
    w->view.page = NULL;
}

// Fills the page with the explanation of the selected alarm's event.
static void watch_explain(struct watch *w)
{
    struct error err;
    const json_t *alarm = watch_selected(w);
    if (!alarm)
        return;
    json_t *answer = client_request(w->data.socket, "explain",
                                    json_pack("{s:s}", "id", member_word(alarm, "id")), &err);
    FILE *out = answer ? open_memstream(&w->page, &w->page_size) : NULL;
    bool ok = out && (show_explanation(out, answer) || show_refuse_shape(&err));
    if (answer && !out)
        error_set(&err, "out of memory");
    if (out && fclose(out) != 0 && ok)
        ok = error_set(&err, "out of memory");
    json_decref(answer);
    if (ok) {
        w->view.page = w->page;
        w->view.page_line = 0;
    } else {
        watch_leave_page(w);
        watch_note(w, err.text);
    }
}

static void watch_acknowledge(struct watch *w)
{
    struct error err;
    char note[256];
    json_t *alarm = json_incref((json_t *)watch_selected(w)); // a new reading may drop it
    if (!alarm)
        return;
    if (!watch_screen_ask("Note, Enter acknowledges, Escape does not: ", note, sizeof note)) {
        watch_note(w, "Not acknowledged.");
    } else if (client_send(
                   w->data.socket, "alarm-acknowledge",
                   json_pack("{s:s, s:s}", "alarm", member_word(alarm, "key"), "note", note),
                   &err)) {
        watch_note(w, "Acknowledged.");
        watch_data_read(&w->data);
    } else {
        watch_note(w, err.text);
    }
    json_decref(alarm);
}

static void watch_move(struct watch *w, int by)
{
    size_t *place = w->view.page ? &w->view.page_line : &w->view.selected;
    if (by < 0)
        *place -= *place < (size_t)-by ? *place : (size_t)-by;
    else
        *place += (size_t)by; // drawing keeps it within the list
}

// False: the operator quits.
static bool watch_handle(struct watch *w, enum watch_key key)
{
    const bool turns = key >= WATCH_KEY_UP && key <= WATCH_KEY_PAGE_DOWN;
    if (key == WATCH_KEY_NONE)
        return true;
    watch_note(w, "");
    if (turns) {
        const int step = key >= WATCH_KEY_PAGE_UP ? watch_screen_step() : 1;
        watch_move(w, key == WATCH_KEY_UP || key == WATCH_KEY_PAGE_UP ? -step : step);
    } else if (w->view.page && (key == WATCH_KEY_QUIT || key == WATCH_KEY_LEAVE)) {
        watch_leave_page(w);
    } else if (key == WATCH_KEY_QUIT) {
        return false;
    } else if (!w->view.page && key == WATCH_KEY_ACKNOWLEDGE) {
        watch_acknowledge(w);
    } else if (!w->view.page && key == WATCH_KEY_EXPLAIN) {
        watch_explain(w);
    }
    return true;
}

// Keeps the selection at its alarm when the list has changed.
static void watch_read(struct watch *w)
{
    size_t i;
    const json_t *alarm;
    json_t *before = json_incref((json_t *)watch_selected(w));
    watch_data_read(&w->data);
    json_array_foreach(w->data.alarms, i, alarm)
    {
        if (before && strcmp(member_word(alarm, "key"), member_word(before, "key")) == 0)
            w->view.selected = i;
    }
    json_decref(before);
}

static void watch_run(struct watch *w)
{
    int64_t due = 0;
    bool goes_on = true;
    while (goes_on) {
        const int64_t now = clock_monotonic(&clock_system);
        if (now >= due) {
            watch_read(w);
            due = clock_monotonic(&clock_system) + READ_US;
        }
        watch_screen_draw(&w->data, &w->view);
        const int64_t wait_us = due - clock_monotonic(&clock_system);
        goes_on = watch_handle(w, watch_screen_wait(wait_us > 0 ? (int)(wait_us / 1000) + 1 : 0));
    }
}

enum command_outcome watch_command(const struct arguments *a, struct error *err)
{
    struct watch w = {0};
    bool ok = watch_data_begin(&w.data, a->socket) || error_set(err, "out of memory");
    if (ok && (ok = watch_screen_begin(err))) {
        watch_run(&w);
        watch_screen_end();
    }
    watch_leave_page(&w);
    watch_data_end(&w.data);
    return command_outcome(ok);
}
