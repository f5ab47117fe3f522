// Text for people: within 100 columns, coloured where they look at it, and harmless whatever it
// holds.
#ifndef IBTRAPD_CTL_TERMINAL_H
#define IBTRAPD_CTL_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum { TERMINAL_COLUMNS = 100 };

// Colours go to a terminal only, and not when the environment has NO_COLOR.
bool terminal_has_colours(FILE *out);

// The word of a severity, or of a state such as "failing", "paused" or "delivered", in the colour
// that suits it, filled up to `width` columns.
void terminal_word(FILE *out, const char *word, int width);

// A text at the begin of a line, filled up to `width` columns; a longer one has a line of its own.
void terminal_cell(FILE *out, const char *text, int width);

// The text, broken between words into lines that begin with `indent` blanks, each with its newline.
void terminal_wrap(FILE *out, int indent, const char *text);

// The same where the first line has its `indent` columns already; at least a newline.
void terminal_hang(FILE *out, int indent, const char *text);

#endif
