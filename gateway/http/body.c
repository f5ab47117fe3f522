// SPDX-License-Identifier: BSD-2-Clause
#include "http/body.h"

#include <stdio.h>

const struct body_format *body_find(enum http_format format)
{
    static const struct body_format *const FORMATS[HTTP_FORMAT_COUNT] = {
        [HTTP_JSON] = &BODY_JSON,     [HTTP_CLOUDEVENTS] = &BODY_CLOUDEVENTS,
        [HTTP_OTLP] = &BODY_OTLP,     [HTTP_LOKI] = &BODY_LOKI,
        [HTTP_SPLUNK] = &BODY_SPLUNK, [HTTP_ELASTIC] = &BODY_ELASTIC,
    };
    return format < HTTP_FORMAT_COUNT ? FORMATS[format] : NULL;
}

void body_give_all(struct body_result *out, size_t count, enum body_verdict verdict)
{
    for (size_t i = 0; i < count; i++)
        out->verdicts[i] = verdict;
}

void body_words(const char *text, size_t size, char out[BODY_WORDS_SIZE])
{
    char line[BODY_WORDS_SIZE];
    size_t n = 0;
    for (size_t i = 0; i < size && n + 1 < sizeof line && text[i] != '\0'; i++) {
        const bool space = text[i] == '\n' || text[i] == '\r' || text[i] == '\t' || text[i] == ' ';
        if (!space)
            line[n++] = text[i];
        else if (n > 0 && line[n - 1] != ' ')
            line[n++] = ' ';
    }
    text_clean(line, n, out, BODY_WORDS_SIZE);
}

// What a status that says nothing of the events asks of the admin.
static const char *body_advice(int status)
{
    switch (status) {
    case 401:
        return "it does not accept the credentials: check 'token_file', or 'user' and "
               "'password_file'";
    case 403:
        return "it does not let this user in: give him, or the token, the right to write";
    case 404:
    case 410:
        return "there is nothing at this URL: check the path in 'url'";
    case 405:
        return "it takes no POST at this URL: check the path in 'url'";
    case 407:
        return "a proxy on the way asks for credentials";
    case 415:
        return "it does not accept this kind of content: check 'format', and 'gzip' if it is on";
    case 429:
        return "it gets too many requests";
    default:
        if (status >= 300 && status < 400)
            return "it redirects, and redirects are not followed: give the final address in 'url'";
        return status >= 500 ? "it has a problem of its own" : "it does not take events now";
    }
}

static void body_explain(const struct transfer_answer *answer, const char *advice,
                         struct error *problem)
{
    char words[BODY_WORDS_SIZE];
    body_words(answer->body, answer->size, words);
    error_set(problem, "status %d: %s%s%s", answer->status, advice, words[0] ? ". It says: " : "",
              words);
}

void body_judge_status(const struct transfer_answer *answer, size_t count, struct body_result *out)
{
    switch (answer->status) {
    case 400:
    case 409:
    case 422:
        body_explain(answer, count > 1 ? "it refuses a request" : "it refuses an event",
                     &out->problem);
        body_give_all(out, count, count > 1 ? BODY_ALONE : BODY_REFUSED);
        return;
    case 413:
        body_explain(answer, count > 1 ? "a request is too large for it" : "an event is too large",
                     &out->problem);
        body_give_all(out, count, count > 1 ? BODY_SMALLER : BODY_REFUSED);
        return;
    default:
        if (answer->status >= 200 && answer->status < 300) {
            body_give_all(out, count, BODY_ACCEPTED);
            return;
        }
        body_explain(answer, body_advice(answer->status), &out->problem);
        body_give_all(out, count, BODY_AGAIN);
    }
}
