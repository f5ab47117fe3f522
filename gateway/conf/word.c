// SPDX-License-Identifier: BSD-2-Clause
#include "conf/word.h"

#include "conf/conf.h"

#include <stddef.h>

const struct word WORDS_ACTIVE[] = {{false, "always"}, {true, "with-master-sm"}, {0, NULL}};

const struct word WORDS_MATCH[] = {{false, "guid"}, {true, "name"}, {0, NULL}};

const struct word WORDS_START[] = {{false, "now"}, {true, "backlog"}, {0, NULL}};

const struct word WORDS_METHOD[] = {
    {CONF_SWEEP_SMP, "smp"}, {CONF_SWEEP_SA, "sa"}, {CONF_SWEEP_OFF, "off"}, {0, NULL}};

const struct word WORDS_PORTS[] = {
    {CONF_ALL_PORTS, "all"}, {CONF_SWITCH_PORTS, "switches"}, {CONF_NO_PORTS, "off"}, {0, NULL}};

const struct word WORDS_PORT_METRICS[] = {{CONF_PORT_METRICS_OFF, "off"},
                                          {CONF_PORT_METRICS_ERRORS, "errors"},
                                          {CONF_PORT_METRICS_ALL, "all"},
                                          {0, NULL}};

const struct word WORDS_CONTEXTS[] = {{CONF_CONTEXTS_SWITCHES, "switches"},
                                      {CONF_CONTEXTS_ALL, "all"},
                                      {CONF_CONTEXTS_OFF, "off"},
                                      {0, NULL}};

const struct word WORDS_SNMP_TRANSPORT[] = {
    {CONF_UDP, "udp"}, {CONF_TCP, "tcp"}, {CONF_TLS, "tls"}, {CONF_DTLS, "dtls"}, {0, NULL}};

const struct word WORDS_SYSLOG_TRANSPORT[] = {
    {CONF_LOCAL, "local"}, {CONF_UDP, "udp"},           {CONF_TCP, "tcp"},       {CONF_TLS, "tls"},
    {CONF_RELP, "relp"},   {CONF_RELP_TLS, "relp-tls"}, {CONF_STDOUT, "stdout"}, {0, NULL}};

const struct word WORDS_VERSION[] = {{1, "1"}, {2, "2c"}, {3, "3"}, {0, NULL}};

const struct word WORDS_AUTH[] = {{CONF_AUTH_NONE, "none"},
                                  {CONF_AUTH_SHA, "SHA"},
                                  {CONF_AUTH_SHA_224, "SHA-224"},
                                  {CONF_AUTH_SHA_256, "SHA-256"},
                                  {CONF_AUTH_SHA_384, "SHA-384"},
                                  {CONF_AUTH_SHA_512, "SHA-512"},
                                  {0, NULL}};

const struct word WORDS_PRIVACY[] = {{CONF_PRIVACY_NONE, "none"},
                                     {CONF_PRIVACY_AES, "AES"},
                                     {CONF_PRIVACY_AES_192, "AES-192"},
                                     {CONF_PRIVACY_AES_256, "AES-256"},
                                     {CONF_PRIVACY_AES_192_C, "AES-192-C"},
                                     {CONF_PRIVACY_AES_256_C, "AES-256-C"},
                                     {0, NULL}};

const struct word WORDS_SET[] = {{CONF_SET_SMA, "sma"},
                                 {CONF_SET_SWITCH, "switch"},
                                 {CONF_SET_OWN, "own"},
                                 {CONF_SET_EVENT, "event"},
                                 {0, NULL}};

const struct word WORDS_FORMAT[] = {{CONF_RFC5424, "rfc5424"}, {CONF_RFC3164, "rfc3164"},
                                    {CONF_ECS, "ecs"},         {CONF_CEF, "cef"},
                                    {CONF_LEEF, "leef"},       {0, NULL}};

// The formats that are JSON objects.
const struct word WORDS_OBJECT_FORMAT[] = {
    {CONF_JSON, "json"}, {CONF_ECS, "ecs"}, {CONF_CLOUDEVENTS, "cloudevents"}, {0, NULL}};

const struct word WORDS_HTTP_FORMAT[] = {{CONF_HTTP_JSON, "json"},
                                         {CONF_HTTP_CLOUDEVENTS, "cloudevents"},
                                         {CONF_HTTP_OTLP, "otlp"},
                                         {CONF_HTTP_LOKI, "loki"},
                                         {CONF_HTTP_SPLUNK, "splunk"},
                                         {CONF_HTTP_ELASTIC, "elasticsearch"},
                                         {0, NULL}};

const struct word WORDS_KAFKA_TRANSPORT[] = {{CONF_TCP, "tcp"}, {CONF_TLS, "tls"}, {0, NULL}};

const struct word WORDS_SASL[] = {{CONF_SASL_NONE, "none"},
                                  {CONF_SASL_PLAIN, "PLAIN"},
                                  {CONF_SASL_SCRAM_SHA_256, "SCRAM-SHA-256"},
                                  {CONF_SASL_SCRAM_SHA_512, "SCRAM-SHA-512"},
                                  {0, NULL}};

const struct word WORDS_FRAMING[] = {{false, "octet-counting"}, {true, "lines"}, {0, NULL}};

// RFC 5424 6.2.1.
const struct word WORDS_FACILITY[] = {
    {0, "kern"},      {1, "user"},    {2, "mail"},    {3, "daemon"},  {4, "auth"},
    {5, "syslog"},    {6, "lpr"},     {7, "news"},    {8, "uucp"},    {9, "cron"},
    {10, "authpriv"}, {11, "ftp"},    {12, "ntp"},    {13, "audit"},  {14, "alert"},
    {15, "clock"},    {16, "local0"}, {17, "local1"}, {18, "local2"}, {19, "local3"},
    {20, "local4"},   {21, "local5"}, {22, "local6"}, {23, "local7"}, {0, NULL}};
