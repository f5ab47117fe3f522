// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "ctl/watch_screen.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t READ_US = CLOCK_US_PER_S;
enum {
    IDLE_MS = 200,      // between two looks at an operator's keys
    SILENT_LEAST_S = 2, // of which the operator is told
};

struct watch {
    struct watch_data data;
    struct watch_view view;
    char *page; // that the view shows; NULL: none
    size_t page_size;
    int64_t asked_us;     // monotonic: since when an answer is waited for; 0: none is
    int64_t due_us;       // monotonic: when all is read again
    enum watch_key later; // pressed during a wait for an answer, and requests another answer
    bool quits;
};

static void watch_command_note(struct watch *w, const char *text)
{
    snprintf(w->view.note, sizeof w->view.note, "%s", text);
}

static const json_t *watch_command_selected(const struct watch *w)
{
    return json_array_get(w->data.alarms, w->view.selected);
}

static void watch_command_leave_page(struct watch *w)
{
    free(w->page);
    w->page = NULL;
    w->view.page = NULL;
}

// Fills the page with the explanation of the selected alarm's event.
static void watch_command_explain(struct watch *w)
{
    struct error err;
    const json_t *alarm = watch_command_selected(w);
    if (!alarm)
        return;
    json_t *answer = watch_data_ask(&w->data, "explain",
                                    json_pack("{s:s}", "id", member_word(alarm, "id")), &err);
    FILE *out = memory_need(open_memstream(&w->page, &w->page_size));
    const bool ok =
        answer && (show_form(out, &explanation_form, answer, true) || show_refuse_shape(&err));
    fclose(out);
    json_decref(answer);
    if (ok) {
        w->view.page = w->page;
        w->view.page_line = 0;
    } else {
        watch_command_leave_page(w);
        watch_command_note(w, err.text);
    }
}

static void watch_command_acknowledge(struct watch *w)
{
    struct error err;
    char note[256];
    json_t *alarm = json_incref((json_t *)watch_command_selected(w)); // a new reading may drop it
    if (!alarm)
        return;
    if (!watch_screen_ask("Note, Enter acknowledges, Escape does not: ", note, sizeof note)) {
        watch_command_note(w, "Not acknowledged.");
    } else {
        json_t *answer = watch_data_ask(
            &w->data, "alarm-acknowledge",
            json_pack("{s:s, s:s}", "alarm", member_word(alarm, "key"), "note", note), &err);
        watch_command_note(w, answer ? "Acknowledged." : err.text);
        json_decref(answer);
        w->data.alarms_due_us = 0;
        w->due_us = 0;
    }
    json_decref(alarm);
}

static void watch_command_move(struct watch *w, int by)
{
    size_t *place = w->view.page ? &w->view.page_line : &w->view.selected;
    if (by < 0)
        *place -= *place < (size_t)-by ? *place : (size_t)-by;
    else
        *place += (size_t)by; // drawing keeps it within the list
}

static void watch_command_handle(struct watch *w, enum watch_key key)
{
    const bool turns = key >= WATCH_KEY_UP && key <= WATCH_KEY_PAGE_DOWN;
    const bool asks = key == WATCH_KEY_ACKNOWLEDGE || key == WATCH_KEY_EXPLAIN;
    if (key == WATCH_KEY_NONE)
        return;
    watch_command_note(w, "");
    if (turns) {
        const int step = key >= WATCH_KEY_PAGE_UP ? watch_screen_step() : 1;
        watch_command_move(w, key == WATCH_KEY_UP || key == WATCH_KEY_PAGE_UP ? -step : step);
    } else if (w->view.page && (key == WATCH_KEY_QUIT || key == WATCH_KEY_LEAVE)) {
        watch_command_leave_page(w);
    } else if (key == WATCH_KEY_QUIT) {
        w->quits = true;
    } else if (!w->view.page && asks && w->asked_us != 0) {
        w->later = key;
    } else if (!w->view.page && key == WATCH_KEY_ACKNOWLEDGE) {
        watch_command_acknowledge(w);
    } else if (!w->view.page && key == WATCH_KEY_EXPLAIN) {
        watch_command_explain(w);
    }
}

// Takes keys while the daemon does not answer. Most answers come at once.
static bool watch_command_idle(void *ctx, int fd, short events)
{
    struct watch *w = ctx;
    struct pollfd both[] = {{.fd = events ? fd : -1, .events = events},
                            {.fd = STDIN_FILENO, .events = POLLIN}};
    const int64_t begun = clock_now();
    if (w->asked_us == 0)
        w->asked_us = begun;
    poll(both, 2, IDLE_MS);
    if (both[0].revents)
        return true;
    const int64_t silent_s = (clock_now() - w->asked_us) / CLOCK_US_PER_S;
    w->view.silent_s = silent_s < SILENT_LEAST_S ? 0 : (int)silent_s;
    watch_command_handle(w, watch_screen_wait(0));
    watch_screen_draw(&w->data, &w->view);
    return !w->quits;
}

// Ends the state of idle waits. If the daemon answers again, handles the key that was pressed
// meanwhile.
static void watch_command_catch_up(struct watch *w)
{
    const enum watch_key key = w->later;
    w->asked_us = 0;
    w->view.silent_s = 0;
    w->later = WATCH_KEY_NONE;
    if (!w->data.is_reached || w->quits || key == WATCH_KEY_NONE)
        return;
    watch_command_handle(w, key);
    w->asked_us = 0;
    w->view.silent_s = 0;
}

// Reads all answers, the alarms last, then moves the selection to its alarm in the new list. The
// operator never sees another alarm selected.
static void watch_command_read(struct watch *w)
{
    size_t i;
    const json_t *alarm;
    json_t *list = json_incref(w->data.alarms);
    watch_data_read(&w->data);
    const json_t *before = json_array_get(list, w->view.selected);
    json_array_foreach(w->data.alarms, i, alarm)
    {
        if (before && strcmp(member_word(alarm, "key"), member_word(before, "key")) == 0) {
            w->view.selected = i;
            break;
        }
    }
    json_decref(list);
}

static void watch_command_run(struct watch *w)
{
    while (!w->quits) {
        if (clock_now() >= w->due_us) {
            watch_command_read(w);
            w->due_us = clock_now() + READ_US;
            watch_command_catch_up(w);
        }
        if (w->quits)
            return;
        watch_screen_draw(&w->data, &w->view);
        const int64_t wait_us = w->due_us - clock_now();
        watch_command_handle(w, watch_screen_wait(wait_us > 0 ? (int)(wait_us / 1000) + 1 : 0));
        watch_command_catch_up(w);
    }
}

enum command_outcome watch_command(const struct arguments *a, struct error *err)
{
    struct watch w = {0};
    const struct client_idle idle = {watch_command_idle, &w};
    watch_data_begin(&w.data, a->socket, &idle);
    const bool ok = watch_screen_begin(err);
    if (ok) {
        watch_command_run(&w);
        watch_screen_end();
    }
    watch_command_leave_page(&w);
    watch_data_end(&w.data);
    return command_outcome(ok);
}
