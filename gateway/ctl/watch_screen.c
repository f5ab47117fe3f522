// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/watch_screen.h"

#include "base/clock.h"
#include "base/text.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

// Wide characters of curses.
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

enum {
    LINE_SIZE = 1024, // octets and characters of a line
    COLUMNS_LEAST = 40,
    LINES_LEAST = 12,
    RECEIVERS_MOST = 6, // lines
    FIRST_LINE = 4,     // of the alarms, below verdicts, rates and title
    ESCAPE = 27,
    DELETE = 127,
    BACKSPACE = 8,
    ESCAPE_WAIT_MS = 50, // for the rest of a key's sequence
};

// Admits SIGWINCH, or blocks the signal: the signal would interrupt an answer of the daemon half
// way.
static void watch_screen_let_resize(bool may)
{
    sigset_t resize;
    sigemptyset(&resize);
    sigaddset(&resize, SIGWINCH);
    sigprocmask(may ? SIG_UNBLOCK : SIG_BLOCK, &resize, NULL);
}

bool watch_screen_begin(struct error *err)
{
    const char *term = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return error_set(err, "watch needs a terminal; 'events --follow' writes into a file");
    setlocale(LC_CTYPE, "");           // the terminal's characters
    if (!newterm(NULL, stdout, stdin)) // curses keeps it: it has one terminal at a time
        return error_set(err, "watch knows no terminal '%s': set TERM", term ? term : "");
    watch_screen_let_resize(false);
    set_escdelay(ESCAPE_WAIT_MS);
    cbreak();
    noecho();
    curs_set(0);
    keypad(stdscr, TRUE);
    if (!terminal_has_colours(stdout) || start_color() == ERR)
        return true;
    use_default_colors();
    init_pair(TERMINAL_DIRE, COLOR_RED, -1);
    init_pair(TERMINAL_BAD, COLOR_RED, -1);
    init_pair(TERMINAL_DOUBTFUL, COLOR_YELLOW, -1);
    init_pair(TERMINAL_NOTABLE, COLOR_CYAN, -1);
    init_pair(TERMINAL_GOOD, COLOR_GREEN, -1);
    return true;
}

void watch_screen_end(void)
{
    endwin();
}

// Lines.

// Whether the terminal's characters are UTF-8. On another terminal, shows and takes only ASCII: the
// octets of UTF-8 would mean different characters, or control characters.
static bool watch_screen_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

// Writes a text from a column on, cut at the end of the line, without control characters.
static void watch_screen_put(int line, int column, const char *text)
{
    char clean[LINE_SIZE];
    wchar_t wide[LINE_SIZE];
    text_clean(text, strlen(text), clean, sizeof clean);
    if (!watch_screen_is_utf8())
        text_ascii(clean, clean, sizeof clean); // it becomes no longer
    size_t count = mbstowcs(wide, clean, LINE_SIZE - 1);
    if (count == (size_t)-1)
        return;
    wide[count] = L'\0';
    int columns = 0;
    size_t fits = 0;
    while (fits < count) {
        const int width = wcwidth(wide[fits]);
        if (width < 0)
            wide[fits] = L'?';
        columns += width < 0 ? 1 : width;
        if (column + columns > COLS)
            break;
        fits++;
    }
    mvaddnwstr(line, column, wide, (int)fits);
}

static void watch_screen_putf(int line, int column, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void watch_screen_putf(int line, int column, const char *fmt, ...)
{
    char text[LINE_SIZE];
    TEXT_FILL(text, fmt);
    watch_screen_put(line, column, text);
}

// Writes the word of a severity or state in its colour.
static void watch_screen_word(int line, int column, const char *word)
{
    const enum terminal_colour colour = terminal_colour_of(word);
    const int look = (int)COLOR_PAIR(colour) | (colour == TERMINAL_DIRE ? (int)A_BOLD : 0);
    attron(look);
    watch_screen_put(line, column, word);
    attroff(look);
}

static void watch_screen_title(int line, const char *title)
{
    attron(A_BOLD);
    watch_screen_put(line, 0, title);
    attroff(A_BOLD);
}

// Whether an operator has acknowledged or shelved the alarm.
static bool watch_data_is_handled(const json_t *alarm)
{
    return member_word(alarm, "acknowledged")[0] != '\0' ||
           member_word(alarm, "shelved_until")[0] != '\0';
}

// Computes how many Reports and events a second came between the samples; 0 before the second
// sample.
static void watch_data_rates(const struct watch_data *data, double *reports, double *events)
{
    *reports = *events = 0;
    if (data->sample_count < 2)
        return;
    const struct watch_sample *first = &data->samples[0];
    const struct watch_sample *last = &data->samples[data->sample_count - 1];
    const double seconds = (double)(last->at_us - first->at_us) / (double)CLOCK_US_PER_S;
    if (seconds <= 0)
        return;
    *reports = (double)(last->reports - first->reports) / seconds;
    *events = (double)(last->events - first->events) / seconds;
}

// The parts of the screen.

static void watch_screen_verdict(int line, const char *of, const json_t *verdict)
{
    const char *state = member_word(verdict, "state");
    const int look = A_BOLD | COLOR_PAIR(strcmp(state, "ok") == 0         ? TERMINAL_GOOD
                                         : strcmp(state, "critical") == 0 ? TERMINAL_BAD
                                                                          : TERMINAL_DOUBTFUL);
    attron(look);
    watch_screen_putf(line, 0, "%s %s", of, member_word(verdict, "line"));
    attroff(look);
}

// The verdicts, the worse first.
static void watch_screen_verdicts(const struct watch_data *data, const struct watch_view *view)
{
    const json_t *health = json_object_get(data->status, "health");
    const char *worse = member_word(health, "worse");
    const char *other = strcmp(worse, "fabric") == 0 ? "gateway" : "fabric";
    const int look = A_BOLD | COLOR_PAIR(TERMINAL_BAD);
    if (data->is_reached && view->silent_s == 0) {
        watch_screen_verdict(0, worse, json_object_get(health, worse));
        watch_screen_verdict(1, other, json_object_get(health, other));
        return;
    }
    attron(look);
    if (view->silent_s > 0)
        watch_screen_putf(0, 0, "ibtrapd has not answered for %d s; q: quit", view->silent_s);
    else
        watch_screen_putf(0, 0, "UNKNOWN: %s", data->problem.text);
    attroff(look);
}

static void watch_screen_rates(const struct watch_data *data)
{
    const json_t *journal = json_object_get(data->status, "journal");
    const json_t *sweep = json_object_get(data->status, "sweep");
    char so_far[60] = "";
    if (json_is_true(json_object_get(sweep, "running")))
        snprintf(so_far, sizeof so_far, ", sweeping: %lld nodes so far",
                 member_count(sweep, "found"));
    double reports, events;
    watch_data_rates(data, &reports, &events);
    watch_screen_putf(2, 0,
                      "%.1f Reports/s, %.1f events/s, %lld nodes, %lld links, %lld events in the "
                      "journal%s",
                      reports, events, member_count(sweep, "nodes"), member_count(sweep, "links"),
                      member_count(journal, "rows"), so_far);
}

static void watch_screen_alarm(int line, const json_t *alarm, bool selected)
{
    const bool handled = watch_data_is_handled(alarm);
    const int look = selected ? A_REVERSE : handled ? A_DIM : 0;
    const long long followers = member_count(alarm, "consequences");
    char follow[40] = "";
    if (followers > 0)
        snprintf(follow, sizeof follow, "(and %lld that follow%s) ", followers,
                 followers == 1 ? "s" : "");
    attron(look);
    if (selected)
        mvhline(line, 0, ' ' | A_REVERSE, COLS);
    watch_screen_word(line, 0, member_word(alarm, "severity"));
    watch_screen_putf(line, 10, "%.19sZ  %s%s%s", member_word(alarm, "raised"),
                      handled ? "(handled) " : "", follow, member_word(alarm, "text"));
    attroff(look);
}

// Writes the alarms into lines up to `end`, and returns the line behind the alarms.
static int watch_screen_alarms(const struct watch_data *data, struct watch_view *view, int end)
{
    const size_t count = json_array_size(data->alarms);
    const long long all = member_count(json_object_get(data->status, "journal"), "alarms");
    const size_t room = (size_t)(end - FIRST_LINE);
    char title[100];
    if (view->selected >= count)
        view->selected = count > 0 ? count - 1 : 0;
    const size_t first = view->selected >= room ? view->selected - room + 1 : 0;
    if (all > (long long)count)
        snprintf(title, sizeof title, "ALARMS %zu of %lld; ibtrapctl alarms --all lists all", count,
                 all);
    else
        snprintf(title, sizeof title, "ALARMS %zu", count);
    watch_screen_title(FIRST_LINE - 1, title);
    int line = FIRST_LINE;
    for (size_t i = first; i < count && line < end; i++)
        watch_screen_alarm(line++, json_array_get(data->alarms, i), i == view->selected);
    if (count == 0)
        watch_screen_put(line++, 0, data->status ? "No alarm is active." : "");
    return line;
}

static int watch_screen_receivers(const json_t *receivers, int line)
{
    size_t i;
    const json_t *one;
    char title[100];
    const size_t count = json_array_size(receivers);
    snprintf(title, sizeof title, "RECEIVERS %zu", count);
    watch_screen_title(line++, title);
    json_array_foreach(receivers, i, one)
    {
        if (i == RECEIVERS_MOST)
            break;
        watch_screen_word(line, 0, member_word(one, "state"));
        watch_screen_putf(line++, 10, "%s %s, %lld wait  %s", member_word(one, "kind"),
                          member_word(one, "name"), member_count(one, "queued"),
                          member_word(one, "problem"));
    }
    return line;
}

// Whether the event is news: neither suppressed nor a heartbeat.
static bool watch_data_is_news(const json_t *event)
{
    return member_word(event, "suppressed")[0] == '\0' &&
           strcmp(member_word(event, "event"), "heartbeat") != 0;
}

static void watch_screen_events(const json_t *events, int line, int end)
{
    const size_t count = json_array_size(events);
    watch_screen_title(line++, "EVENTS that receivers get");
    size_t first = count;
    for (int room = end - line; first > 0 && room > 0;)
        room -= watch_data_is_news(json_array_get(events, --first));
    for (size_t i = first; i < count; i++) {
        const json_t *event = json_array_get(events, i);
        if (!watch_data_is_news(event))
            continue;
        watch_screen_word(line, 0, member_word(event, "severity"));
        watch_screen_putf(line++, 15, "%.19sZ  %s", member_word(event, "time"),
                          member_word(event, "text"));
    }
}

static void watch_screen_all(const struct watch_data *data, struct watch_view *view)
{
    const json_t *receivers = json_object_get(data->status, "receivers");
    const size_t count = json_array_size(receivers);
    const int last = LINES - 1;
    const int rest = last - FIRST_LINE - 2 -
                     (int)(count < RECEIVERS_MOST ? count : RECEIVERS_MOST); // alarms and events
    watch_screen_verdicts(data, view);
    watch_screen_rates(data);
    int line = watch_screen_alarms(data, view, FIRST_LINE + (rest + 1) / 2);
    line = watch_screen_receivers(receivers, line);
    watch_screen_events(data->events, line, last);
    watch_screen_put(last, 0,
                     view->note[0] ? view->note
                                   : "up, down: select   a: acknowledge   e: explain   q: quit");
}

// Pages.

// How many octets of the page go into the next line of the screen. A character has no more columns
// than octets.
static size_t watch_screen_part(const char *page)
{
    const size_t length = strcspn(page, "\n");
    size_t part = length < (size_t)COLS ? length : (size_t)COLS;
    while (part > 1 && part < length && (page[part] & 0xC0) == 0x80)
        part--;
    return part;
}

// Returns the place behind the next line of the screen.
static const char *watch_screen_turn(const char *page)
{
    page += watch_screen_part(page);
    return page + (*page == '\n');
}

// The screen turns by lines of the text. The last lines of the text stay at the end of the screen.
static void watch_screen_page(struct watch_view *view)
{
    const size_t room = (size_t)LINES - 1;
    const char *p;
    size_t left = 0, line = 0;
    for (p = view->page; *p != '\0'; p = watch_screen_turn(p))
        left++;
    for (p = view->page; line < view->page_line && left > room; line++) {
        do {
            p = watch_screen_turn(p);
            left--;
        } while (*p != '\0' && p[-1] != '\n');
    }
    view->page_line = line;
    for (int i = 0; *p != '\0' && i < (int)room; p = watch_screen_turn(p))
        watch_screen_putf(i++, 0, "%.*s", (int)watch_screen_part(p), p);
    watch_screen_put((int)room, 0, "up, down, page up, page down: turn   q: back");
}

void watch_screen_draw(const struct watch_data *data, struct watch_view *view)
{
    erase();
    if (LINES < LINES_LEAST || COLS < COLUMNS_LEAST)
        watch_screen_putf(0, 0, "At least %d columns and %d lines.", COLUMNS_LEAST, LINES_LEAST);
    else if (view->page)
        watch_screen_page(view);
    else
        watch_screen_all(data, view);
    refresh();
}

// Keys.

static enum watch_key watch_screen_key(int key)
{
    static const struct {
        int key;
        enum watch_key what;
    } KEYS[] = {{'q', WATCH_KEY_QUIT},      {KEY_UP, WATCH_KEY_UP},
                {'k', WATCH_KEY_UP},        {KEY_DOWN, WATCH_KEY_DOWN},
                {'j', WATCH_KEY_DOWN},      {KEY_PPAGE, WATCH_KEY_PAGE_UP},
                {' ', WATCH_KEY_PAGE_DOWN}, {KEY_NPAGE, WATCH_KEY_PAGE_DOWN},
                {'e', WATCH_KEY_EXPLAIN},   {'a', WATCH_KEY_ACKNOWLEDGE},
                {'\n', WATCH_KEY_EXPLAIN},  {KEY_ENTER, WATCH_KEY_EXPLAIN},
                {ESCAPE, WATCH_KEY_LEAVE}};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        if (KEYS[i].key == key)
            return KEYS[i].what;
    }
    return WATCH_KEY_OTHER;
}

enum watch_key watch_screen_wait(int milliseconds)
{
    timeout(milliseconds);
    errno = 0;
    watch_screen_let_resize(true);
    const int key = getch();
    const bool has_ended =
        errno == EIO ||
        !isatty(STDIN_FILENO); // the terminal hung up, or belongs to another process group
    watch_screen_let_resize(false);
    if (key == ERR)
        return has_ended ? WATCH_KEY_QUIT : WATCH_KEY_NONE;
    return watch_screen_key(key);
}

int watch_screen_step(void)
{
    return LINES > FIRST_LINE ? LINES - FIRST_LINE : 1;
}

static void watch_screen_show_answer(const char *question, const wchar_t *answer)
{
    const int line = LINES - 1;
    move(line, 0);
    clrtoeol();
    watch_screen_put(line, 0, question);
    const int room = COLS - getcurx(stdscr) - 1;
    if (room > 0)
        addnwstr(answer, room);
    refresh();
}

bool watch_screen_ask(const char *question, char *out, size_t size)
{
    wchar_t answer[LINE_SIZE] = L"";
    size_t count = 0;
    wint_t key = 0;
    curs_set(1);
    timeout(-1);
    watch_screen_let_resize(true);
    while (key != L'\n' && key != ESCAPE) {
        watch_screen_show_answer(question, answer);
        const int kind = get_wch(&key);
        const bool erases =
            kind == KEY_CODE_YES ? key == KEY_BACKSPACE : key == DELETE || key == BACKSPACE;
        if (kind == ERR) {
            key = ESCAPE; // no terminal any more
        } else if (erases && count > 0) {
            answer[--count] = L'\0';
        } else if (kind == OK && iswprint(key) && (key < DELETE || watch_screen_is_utf8()) &&
                   count < LINE_SIZE - 1) {
            answer[count++] = (wchar_t)key;
            answer[count] = L'\0';
            if (wcstombs(NULL, answer, 0) >= size)
                answer[--count] = L'\0';
        } else if (kind == KEY_CODE_YES) {
            key = 0; // a code may equal the number of a character
        }
    }
    watch_screen_let_resize(false);
    curs_set(0);
    return key == L'\n' && wcstombs(out, answer, size) != (size_t)-1;
}
