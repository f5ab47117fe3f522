// SPDX-License-Identifier: BSD-2-Clause
// Describes the configuration's items, from the rows of its schema.
//   describe-config example            prints the example file
//   describe-config manual <TEMPLATE   prints a page in mdoc; the items of a section, or of
//                                      a part that sections share, replace each line
//                                      '.\" items of NAME'
//   describe-config dictionary         prints every name and word, for libFuzzer
#include "conf/rows.h"
#include "conf/schema.h"
#include "conf/value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 4096, WIDTH = 100, MANUAL_WIDTH = 78 };

// An object of a section, with its defaults.
static const void *defaults_of(const struct schema_section *section)
{
    static struct conf conf;
    static struct conf_receiver receiver;
    static struct conf_rule rule;
    void *object = section->object == SCHEMA_CONF   ? (void *)&conf
                   : section->object == SCHEMA_RULE ? (void *)&rule
                                                    : (void *)&receiver;
    rows_set_section_defaults(section, object);
    return object;
}

static const char *description_of(const struct schema_item *item)
{
    static char buffer[TEXT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    text_add(&t, item->help);
    schema_add_values(item, &t);
    return buffer;
}

// The example. Each line begins with `margin`.

// Prints words in lines of at most WIDTH columns. Returns the column after the last word; the line
// is not ended.
static size_t wrap(const char *margin, const char *separators, const char *words, size_t column)
{
    while (*words != '\0') {
        size_t length = strcspn(words, separators);
        length += words[length] != '\0' && words[length] != ' '; // a comma stays with its word
        if (column + 1 + length > WIDTH)
            column = (size_t)printf("\n%s", margin) - 1;
        column += (size_t)printf("%s%.*s", column > 0 ? " " : "", (int)length, words);
        words += length;
        words += strspn(words, " ");
    }
    return column;
}

static void print_comment(const char *margin, const char *sentences)
{
    char own[32];
    snprintf(own, sizeof own, "%s#", margin);
    wrap(own, " ", sentences, (size_t)printf("%s", own));
    putchar('\n');
}

// Prints an item; a long list has several lines.
static void print_value(const char *margin, const char *name, const char *value)
{
    char further[40];
    int column = printf("%s%s =", margin, name);
    snprintf(further, sizeof further, "%s   ", margin);
    wrap(further, ",", value, (size_t)column);
    putchar('\n');
}

// Prints a default as `#item`. An administrator may add a section once more at the end of the file,
// and an item stands once: sections without a title have their items in comments.
static void print_example_item(const struct schema_section *section, const struct schema_item *item,
                               const void *defaults, const char *margin)
{
    char value[TEXT_SIZE], commented[32];
    struct text t = text_in(value, sizeof value);
    value_add(item, defaults, &t);
    const bool is_default = item->example ? item->shown : t.len > 0;
    const bool in_force = is_default && (section->title || section->commented);
    snprintf(commented, sizeof commented, "%s#%s", margin, is_default ? "" : " ");
    print_comment(margin, description_of(item));
    print_value(in_force ? margin : commented, item->name, item->example ? item->example : value);
}

// Whether an earlier section already shows these shared items.
static bool is_shown_before(const struct schema_section *section, const struct schema_part *part)
{
    for (const struct schema_section *s = SCHEMA; part->title && s < section; s++) {
        for (size_t i = 0; s->parts[i]; i++) {
            if (s->parts[i]->items == part->items)
                return true;
        }
    }
    return false;
}

static void print_example_part(const struct schema_section *section, const struct schema_part *part,
                               const char *margin, bool first)
{
    char sentence[200];
    const void *defaults = defaults_of(section);
    const char *blank = section->commented ? "#\n" : "\n";
    if (is_shown_before(section, part)) {
        snprintf(sentence, sizeof sentence, "And the items of \"%s\", as above.", part->title);
        printf("%s", blank);
        print_comment(margin, sentence);
        return;
    }
    if (part->title) {
        snprintf(sentence, sizeof sentence, "%s:", part->title);
        printf("%s", blank);
        print_comment(margin, sentence);
    }
    for (size_t i = 0; i < part->count; i++) {
        if (!first || i > 0)
            printf("%s", blank);
        print_example_item(section, &part->items[i], defaults, margin);
    }
}

static void print_commented(const char *lines)
{
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        printf("# %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static void print_example_section(const struct schema_section *section)
{
    const char *before = section->commented ? "# " : "";
    putchar('\n');
    print_comment("", section->help);
    printf("%s%s%s%s%s {\n", before, section->name, section->title ? " \"" : "",
           section->title ? section->title : "", section->title ? "\"" : "");
    for (size_t i = 0; section->parts[i]; i++)
        print_example_part(section, section->parts[i], section->commented ? "#     " : "    ",
                           i == 0);
    printf("%s}\n", before);
    if (section->more)
        print_commented(section->more);
}

static int print_example(void)
{
    print_comment("", "ibtrapd.conf: InfiniBand traps to SNMP notifications, syslog and files.");
    puts("#");
    print_comment(
        "",
        "Every item is optional. '#item' shows the item's default, '# item' an example. To set an "
        "item, remove the '#', or add its section once more at the end of the file. Lists hold "
        "patterns with * and ?, or "
        "words. An item that ibtrapd does not know is an error, and so is one that has "
        "no effect in its section. After a change: ibtrapd --check-config, then "
        "ibtrapctl reload, which lists the items that wait for a restart. ibtrapd --print-config "
        "shows what is in force.");
    for (size_t i = 0; i < SCHEMA_COUNT; i++)
        print_example_section(&SCHEMA[i]);
    return EXIT_SUCCESS;
}

// The manual.

// The length of the name if the word begins with a reference such as name(1); 0: it does not.
static size_t page_name_length(const char *word, size_t length)
{
    const char *paren = isalpha((unsigned char)word[0]) ? memchr(word, '(', length) : NULL;
    return paren && isdigit((unsigned char)paren[1]) && paren[2] == ')' ? (size_t)(paren - word)
                                                                        : 0;
}

// The length of a word. A literal in `` may have blanks; the characters up to the next blank belong
// to it.
static size_t word_length(const char *words)
{
    const char *close = words[0] == '`' ? strchr(words + 1, '`') : words;
    return (size_t)(close - words) + strcspn(close, " ");
}

// Prints the text of a literal as an argument of a macro, which quotation marks would end.
static void print_literal(const char *text, size_t length)
{
    fputs("\"\\&", stdout);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            fputs("\\(dq", stdout);
        else
            putchar(text[i]);
    }
    putchar('"');
}

// Prints a line of mdoc for `x` or x(1). Each further character becomes a word of its own.
static void print_macro(const char *word, size_t length)
{
    size_t name = page_name_length(word, length);
    const char *behind;
    if (name > 0) {
        printf(".Xr %.*s %c", (int)name, word, word[name + 1]);
        behind = word + name + 3;
    } else {
        behind = strchr(word + 1, '`');
        fputs(".Ql ", stdout);
        print_literal(word + 1, (size_t)(behind - word - 1));
        behind++;
    }
    for (; behind < word + length; behind++)
        printf(" %c", *behind);
    putchar('\n');
}

// Prints words as mandoc wants them: short lines, and a new line for each sentence and each macro.
static void print_words(const char *words)
{
    size_t column = 0;
    while (*words != '\0') {
        size_t length = word_length(words);
        bool macro = words[0] == '`' || page_name_length(words, length) > 0;
        bool fits = !macro && column + 1 + length <= MANUAL_WIDTH;
        if (column > 0)
            putchar(fits ? ' ' : '\n');
        column = fits && column > 0 ? column + 1 : 0;
        if (macro)
            print_macro(words, length);
        else
            printf("%s%.*s", column == 0 && strchr(".'", words[0]) ? "\\&" : "", (int)length,
                   words);
        column = macro ? 0 : column + length;
        if (column > 0 && words[length - 1] == '.') {
            putchar('\n');
            column = 0;
        }
        words += length;
        words += strspn(words, " ");
    }
    if (column > 0)
        putchar('\n');
}

static void print_manual_item(const struct schema_item *item, const void *defaults)
{
    char value[TEXT_SIZE];
    struct text t = text_in(value, sizeof value);
    value_add(item, defaults, &t);
    printf(".It Ic %s", item->name);
    if (t.len > 2 && value[0] == '"')
        printf(" No = Qq %.*s", (int)t.len - 2, value + 1);
    else if (t.len > 0 && value[0] != '{' && value[0] != '"')
        printf(" No = %s", value);
    putchar('\n');
    print_words(description_of(item));
}

static const char *name_of(const struct schema_section *section, const struct schema_part *part)
{
    return part->title ? part->title : section->name;
}

// False: no section or shared part has that name.
static bool print_manual_items(const char *name)
{
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        for (size_t i = 0; SCHEMA[s].parts[i]; i++) {
            const struct schema_part *part = SCHEMA[s].parts[i];
            if (strcmp(name_of(&SCHEMA[s], part), name) != 0)
                continue;
            const void *defaults = defaults_of(&SCHEMA[s]);
            puts(".Bl -tag -width Ds");
            for (size_t j = 0; j < part->count; j++)
                print_manual_item(&part->items[j], defaults);
            puts(".El");
            return true;
        }
    }
    fprintf(stderr, "the configuration has no items of %s\n", name);
    return false;
}

// Whether the page shows all items. `printed` has the names of the sections and parts shown, a line
// each.
static bool is_complete(const char *printed)
{
    bool complete = true;
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        for (size_t i = 0; SCHEMA[s].parts[i]; i++) {
            char name[80];
            snprintf(name, sizeof name, "\n%s\n", name_of(&SCHEMA[s], SCHEMA[s].parts[i]));
            if (!strstr(printed, name)) {
                fprintf(stderr, "the page lacks the items of%s", name);
                complete = false;
            }
        }
    }
    return complete;
}

static int print_manual(void)
{
    static const char MARK[] = ".\\\" items of ";
    char line[1000], printed[TEXT_SIZE];
    struct text all = text_in(printed, sizeof printed);
    text_add(&all, "\n");
    while (fgets(line, sizeof line, stdin)) {
        char *name = line + sizeof MARK - 1;
        if (strncmp(line, MARK, sizeof MARK - 1) != 0) {
            fputs(line, stdout);
            continue;
        }
        text_add(&all, name);
        name[strcspn(name, "\n")] = '\0';
        if (!print_manual_items(name))
            return EXIT_FAILURE;
    }
    return is_complete(printed) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print_dictionary(void)
{
    const struct schema_item *item;
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        printf("\"%s\"\n", SCHEMA[s].name);
        for (size_t i = 0; (item = schema_item(&SCHEMA[s], i)); i++) {
            printf("\"%s\"\n", item->name);
            for (const struct word *word = item->words; word && word->name; word++)
                printf("\"%s\"\n", word->name);
        }
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "example") == 0)
        return print_example();
    if (argc == 2 && strcmp(argv[1], "manual") == 0)
        return print_manual();
    if (argc == 2 && strcmp(argv[1], "dictionary") == 0)
        return print_dictionary();
    fputs("usage: describe-config example|manual|dictionary\n", stderr);
    return 2;
}
