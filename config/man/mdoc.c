// SPDX-License-Identifier: BSD-2-Clause
#include "mdoc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 78 };

// The length of the name when the word is a reference such as "ibnetdiscover(8)."; otherwise 0.
static int mdoc_reference(const char *word, int length)
{
    int name = (int)strcspn(word, "( ");
    return name > 0 && name + 2 < length && word[name] == '(' &&
                   isdigit((unsigned char)word[name + 1]) && word[name + 2] == ')'
               ? name
               : 0;
}

// Prints a reference, such as "ibnetdiscover(8).", on a line of its own, with the rest of the word.
static void mdoc_print_reference(const char *word, int length, int name, bool is_first)
{
    printf("%s.Xr %.*s %c", is_first ? "" : "\n", name, word, word[name + 1]);
    if (name + 3 < length)
        printf(" %.*s", length - name - 3, word + name + 3);
}

// Prints a word. Escapes a first character that would make it a macro, and the minus signs of an
// option.
static void mdoc_print_word(const char *word, int length)
{
    if (*word == '.' || *word == '\'')
        fputs("\\&", stdout);
    for (; length > 0 && *word == '-'; word++, length--)
        fputs("\\-", stdout);
    printf("%.*s", length, word);
}

void mdoc_print_words(const char *words)
{
    int column = 0;
    bool ends = false, first = true;
    while (*words != '\0') {
        int length = (int)strcspn(words, " ");
        int name = mdoc_reference(words, length);
        bool breaks = !first && (ends || column + 1 + length > COLUMNS);
        if (name > 0) {
            mdoc_print_reference(words, length, name, first);
            ends = true;
        } else {
            if (!first)
                putchar(breaks ? '\n' : ' ');
            mdoc_print_word(words, length);
            column = (breaks || first ? 0 : column + 1) + length;
            ends = words[length - (length > 0)] == '.';
        }
        first = false;
        words += length + (words[length] == ' ');
    }
    putchar('\n');
}
