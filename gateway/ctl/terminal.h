// SPDX-License-Identifier: BSD-2-Clause
// Text for people: within the terminal's columns, coloured on a terminal, and without control
// characters.
// Decides: Which words have a colour, and where does a line break?
#pragma once

#include <stdbool.h>
#include <stdio.h>

// The columns that sentences are broken into.
enum {
    TERMINAL_COLUMNS = 100,    // without a terminal, and on wide terminals: a line stays readable
    TERMINAL_COLUMNS_MIN = 40, // on narrower terminals
};

// Whether `out` is a file or a pipe.
bool terminal_is_absent(FILE *out);

// The columns of the terminal behind `out`; TERMINAL_COLUMNS without a terminal. For tables.
int terminal_width(FILE *out);

// The same within these limits.
int terminal_columns(FILE *out);

// True if `out` is a terminal and NO_COLOR is not set in the environment.
bool terminal_has_colours(FILE *out);

// The colours of the words for severities and states.
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

// Writes the word of a severity or of a state (failing, paused, delivered) in the colour of the
// word, filled up to `width` columns.
void terminal_word(FILE *out, const char *word, int width);

// Writes a text at the begin of a line, filled up to `width` columns; a longer text gets a line of
// its own.
void terminal_cell(FILE *out, const char *text, int width);

// Writes the text, broken between words into lines. Each line begins with `indent` blanks and ends
// with a newline. Writes nothing for an empty text.
void terminal_wrap(FILE *out, int indent, const char *text);

// The same after the caller has written `indent` columns of the first line. Writes at least a
// newline.
void terminal_hang(FILE *out, int indent, const char *text);
