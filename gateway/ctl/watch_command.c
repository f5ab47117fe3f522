// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "ctl/watch_screen.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The data: answers of the daemon, read again and again. A call that asks the daemon calls `idle`
// during the wait for the answer.

enum {
    EVENTS_TURNS = 20, // pages of events in a reading; the next reading goes on
    ALARMS_SHARE = 10, // reading alarms takes a tenth of the time: there may be very many alarms
};

static json_t *watch_data_ask(struct watch_data *data, const char *command, json_t *items,
                              struct error *err)
{
    return client_request_idly(data->socket, command, items, &data->idle, err);
}

static void watch_data_sample(struct watch_data *data)
{
    const json_t *counters = json_object_get(data->status, "counters");
    const struct watch_sample now = {clock_now(), member_count(counters, "reports"),
                                     member_count(counters, "events")};
    const size_t count = data->sample_count;
    if (count > 0 && now.events < data->samples[count - 1].events)
        data->sample_count = 0; // another daemon counts from zero
    if (data->sample_count == WATCH_RATE_SAMPLES) {
        data->sample_count--;
        memmove(data->samples, data->samples + 1, sizeof data->samples - sizeof *data->samples);
    }
    data->samples[data->sample_count++] = now;
}

static bool watch_data_read_alarms(struct watch_data *data)
{
    const int64_t begun = clock_now();
    json_t *answer = watch_data_ask(data, "alarms", json_object(), &data->problem);
    json_t *alarms = json_object_get(answer, "alarms");
    const bool ok = answer && (json_is_array(alarms) || show_refuse_shape(&data->problem));
    if (ok) {
        json_decref(data->alarms);
        data->alarms = json_incref(alarms);
    }
    json_decref(answer);
    const int64_t now = clock_now();
    data->alarms_due_us = now + (ALARMS_SHARE - 1) * (now - begun);
    return ok;
}

// Events.

// Reads the next page of events. `*ended`: the journal has no more events now.
static bool watch_data_read_next(struct watch_data *data, bool *ended)
{
    json_t *page = watch_data_ask(
        data, "events", json_pack("{s:I}", "after", (json_int_t)data->place), &data->problem);
    const json_t *events = json_object_get(page, "events");
    bool ok = page && (json_array_extend(data->events, (json_t *)events) == 0 ||
                       show_refuse_shape(&data->problem));
    while (json_array_size(data->events) > WATCH_EVENTS_MAX)
        json_array_remove(data->events, 0);
    if (ok)
        data->place = member_count(page, "place");
    *ended = json_is_true(json_object_get(page, "ended"));
    json_decref(page);
    return ok;
}

static bool watch_data_read_events(struct watch_data *data)
{
    const long long last = member_count(json_object_get(data->status, "journal"), "last");
    bool ended = false, ok = true;
    if (last < data->place) { // another journal
        json_array_clear(data->events);
        data->place = -1;
    }
    if (data->place < 0)
        data->place = last > WATCH_EVENTS_MAX ? last - WATCH_EVENTS_MAX : 0;
    for (int turn = 0; ok && !ended && turn < EVENTS_TURNS; turn++)
        ok = watch_data_read_next(data, &ended);
    return ok;
}

static void watch_data_read(struct watch_data *data)
{
    json_t *status = watch_data_ask(data, "status", json_object(), &data->problem);
    data->is_reached = status != NULL;
    if (!status)
        return;
    json_decref(data->status);
    data->status = status;
    watch_data_sample(data);
    data->is_reached = watch_data_read_events(data);
    if (data->is_reached && clock_now() >= data->alarms_due_us)
        data->is_reached = watch_data_read_alarms(data);
}

// The command.

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
    w.data = (struct watch_data){.socket = a->socket,
                                 .idle = idle,
                                 .alarms = json_array(),
                                 .events = json_array(),
                                 .place = -1};
    const bool ok = watch_screen_begin(err);
    if (ok) {
        watch_command_run(&w);
        watch_screen_end();
    }
    watch_command_leave_page(&w);
    json_decref(w.data.status);
    json_decref(w.data.alarms);
    json_decref(w.data.events);
    return command_outcome(ok);
}
