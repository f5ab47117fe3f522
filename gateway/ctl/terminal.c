// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/terminal.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, COLUMNS_LEAST = 20 };

bool terminal_has_colours(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool wanted = (!no_colour || no_colour[0] == '\0') && (!term || strcmp(term, "dumb") != 0);
    int fd = fileno(out);
    return wanted && fd >= 0 && isatty(fd);
}

bool terminal_is_absent(FILE *out)
{
    const int fd = fileno(out);
    return fd >= 0 && !isatty(fd);
}

int terminal_width(FILE *out)
{
    struct winsize size;
    const int fd = fileno(out);
    return fd < 0 || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? TERMINAL_COLUMNS
                                                                           : size.ws_col;
}

int terminal_columns(FILE *out)
{
    const int width = terminal_width(out);
    return width > TERMINAL_COLUMNS       ? TERMINAL_COLUMNS
           : width > TERMINAL_COLUMNS_MIN ? width
                                          : TERMINAL_COLUMNS_MIN;
}

enum terminal_colour terminal_colour_of(const char *word)
{
    static const struct {
        const char *word;
        enum terminal_colour colour;
    } COLOURS[] = {
        {"emergency", TERMINAL_DIRE},   {"alert", TERMINAL_DIRE},
        {"critical", TERMINAL_DIRE},    {"error", TERMINAL_BAD},
        {"warning", TERMINAL_DOUBTFUL}, {"notice", TERMINAL_NOTABLE},
        {"failing", TERMINAL_BAD},      {"paused", TERMINAL_DOUBTFUL},
        {"untried", TERMINAL_DOUBTFUL}, {"working", TERMINAL_GOOD},
        {"delivered", TERMINAL_GOOD},   {"waiting", TERMINAL_DOUBTFUL},
        {"given up", TERMINAL_BAD},     {"sent", TERMINAL_GOOD},
    };
    for (size_t i = 0; i < sizeof COLOURS / sizeof *COLOURS; i++) {
        if (strcmp(COLOURS[i].word, word) == 0)
            return COLOURS[i].colour;
    }
    return TERMINAL_NO_COLOUR;
}

void terminal_word(FILE *out, const char *word, int width)
{
    static const char *const CODES[] = {
        [TERMINAL_DIRE] = "1;31",  [TERMINAL_BAD] = "31",  [TERMINAL_DOUBTFUL] = "33",
        [TERMINAL_NOTABLE] = "36", [TERMINAL_GOOD] = "32",
    };
    const char *code = terminal_has_colours(out) ? CODES[terminal_colour_of(word)] : NULL;
    int rest = width - (int)strlen(word);
    if (code)
        fprintf(out, "\033[%sm%s\033[0m", code, word);
    else
        fputs(word, out);
    fprintf(out, "%*s", rest > 0 ? rest : 0, "");
}

void terminal_cell(FILE *out, const char *text, int width)
{
    if (strlen(text) > (size_t)width)
        fprintf(out, "%s\n%*s", text, width, "");
    else
        fprintf(out, "%-*s", width, text);
}

// The number of octets of the next `columns` characters; at the end of the text, of the remaining
// characters.
static size_t terminal_octets_of(const char *p, size_t columns)
{
    size_t n = 0;
    while (p[n] != '\0' && columns > 0) {
        n++;
        while ((p[n] & 0xC0) == 0x80)
            n++;
        columns--;
    }
    return n;
}

// The number of octets of the next line: up to the last blank that fits; without a blank, as many
// as fit.
static size_t terminal_line_of(const char *p, size_t columns)
{
    size_t fit = terminal_octets_of(p, columns);
    if (p[fit] == '\0' || p[fit] == ' ')
        return fit;
    for (size_t n = fit; n > 0; n--) {
        if (p[n - 1] == ' ')
            return n - 1;
    }
    return fit;
}

void terminal_hang(FILE *out, int indent, const char *text)
{
    char clean[TEXT_MAX];
    int columns = terminal_columns(out) - indent;
    if (columns < COLUMNS_LEAST) // a terminal too narrow for this table
        columns = TERMINAL_COLUMNS - indent;
    text_clean(text, strlen(text), clean, sizeof clean);
    const char *p = clean + strspn(clean, " ");
    do {
        size_t n = terminal_line_of(p, (size_t)columns);
        fprintf(out, "%.*s\n", (int)n, p);
        p += n;
        p += strspn(p, " ");
        fprintf(out, "%*s", *p != '\0' ? indent : 0, "");
    } while (*p != '\0');
}

void terminal_wrap(FILE *out, int indent, const char *text)
{
    if (text[0] == '\0')
        return;
    fprintf(out, "%*s", indent, "");
    terminal_hang(out, indent, text);
}
