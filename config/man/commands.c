// SPDX-License-Identifier: BSD-2-Clause
// Prints ibtrapctl(8): the page on standard input, with the lines `.\" OPTIONS` and `.\" COMMANDS`
// replaced by the tables of ibtrapctl.

#include "mdoc.h"

#include "base/text.h"
#include "ctl/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void print_option(enum option_id id)
{
    const struct option_row *o = arguments_option(id);
    char sentence[200];
    struct text t = text_in(sentence, sizeof sentence);
    fputs(".It Fl ", stdout);
    if (o->letter)
        printf("%c , ", o->letter);
    printf("-%s", o->name);
    if (o->value)
        printf(" Ar %s", o->value);
    putchar('\n');
    text_addf(&t, "%c%s.", toupper((unsigned char)o->help[0]), o->help + 1);
    mdoc_print_words(sentence);
}

static void print_options(void)
{
    puts(".Bl -tag -width Ds");
    for (int i = 0; i < OPTION_FIRST_OF_SOME; i++)
        print_option((enum option_id)i);
    puts(".El");
}

// Prints arguments such as "ALARM [NOTE]" and "N|ID" in mdoc.
static void print_arguments(const char *arguments)
{
    bool in_values = false;
    while (*arguments != '\0') {
        size_t length = strcspn(arguments, " ");
        const char *end = memchr(arguments, ']', length);
        const char *bar = memchr(arguments, '|', length);
        if (end)
            printf(" Op Ar %.*s%s", (int)(end - arguments - 1), arguments + 1,
                   end[1] == '.' ? " ..." : "");
        else if (bar)
            printf(" Ar %.*s Ns | Ns Ar %.*s", (int)(bar - arguments), arguments,
                   (int)(arguments + length - bar - 1), bar + 1);
        else
            printf("%s %.*s", in_values ? "" : " Ar", (int)length, arguments);
        in_values = !end && !bar;
        arguments += length + (arguments[length] == ' ');
    }
}

static void print_command(const struct command *c)
{
    char sentences[2000];
    struct text t = text_in(sentences, sizeof sentences);
    printf(".It Ic %s", c->name);
    print_arguments(c->arguments);
    putchar('\n');
    commands_add_sentences(&t, c);
    mdoc_print_words(sentences);
    if (!c->options)
        return;
    puts(".Bl -tag -width Ds");
    for (int i = OPTION_FIRST_OF_SOME; i < OPTION_COUNT; i++) {
        if (c->options & COMMAND_TAKES(i))
            print_option((enum option_id)i);
    }
    puts(".El");
}

static void print_commands(void)
{
    size_t count;
    const struct command *commands = commands_get(&count);
    puts(".Bl -tag -width Ds");
    for (size_t i = 0; i < count; i++) {
        if (commands[i].help)
            print_command(&commands[i]);
    }
    puts(".El");
}

int main(void)
{
    char line[500];
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, ".\\\" OPTIONS\n") == 0)
            print_options();
        else if (strcmp(line, ".\\\" COMMANDS\n") == 0)
            print_commands();
        else
            fputs(line, stdout);
    }
    return ferror(stdin) || ferror(stdout) ? 1 : 0;
}
