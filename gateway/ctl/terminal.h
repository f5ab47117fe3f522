// SPDX-License-Identifier: BSD-2-Clause
// Text for people: within the terminal's columns, coloured on a terminal, and without control
// characters.
#ifndef IBTRAPD_CTL_TERMINAL_H
#define IBTRAPD_CTL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

// The columns that sentences are broken into.
enum {
    TERMINAL_COLUMNS = 100, // where there is no terminal, and on wide ones: a line stays readable
    TERMINAL_COLUMNS_MIN = 40, // on narrower terminals
};

// The columns of the terminal that `out` writes to, within these limits.
int terminal_columns(FILE *out);

// True if `out` is a terminal and NO_COLOR is not set in the environment.
bool terminal_has_colours(FILE *out);

// The colours of words that tell how bad something is.
enum terminal_colour {
    TERMINAL_NO_COLOUR,
    TERMINAL_DIRE,
    TERMINAL_BAD,
    TERMINAL_DOUBTFUL,
    TERMINAL_NOTABLE,
    TERMINAL_GOOD,
};

// The colour of the word of a severity or state.
enum terminal_colour terminal_colour_of(const char *word);

// Writes the word of a severity, or of a state such as "failing", "paused" or "delivered", in its
// colour, filled up to `width` columns.
void terminal_word(FILE *out, const char *word, int width);

// Writes a text at the begin of a line, filled up to `width` columns; a longer one gets a line of
// its own.
void terminal_cell(FILE *out, const char *text, int width);

// Writes the text, broken between words into lines that begin with `indent` blanks, each with its
// newline. Writes nothing for an empty text.
void terminal_wrap(FILE *out, int indent, const char *text);

// The same for a first line that has its `indent` columns already; writes at least a newline.
void terminal_hang(FILE *out, int indent, const char *text);

#endif
