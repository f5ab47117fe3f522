// SPDX-License-Identifier: BSD-2-Clause
#include "model/words.h"

#include "model/fabric.h"

#include <stddef.h>

struct word {
    unsigned number;
    const char *word;
};

static const struct word METHODS[] = {
    {0x01, "SubnGet"},  {0x02, "SubnSet"},         {0x03, "SubnSend"},
    {0x05, "SubnTrap"}, {0x07, "SubnTrapRepress"}, {0x81, "SubnGetResp"},
};

static const struct word ATTRIBUTES[] = {
    {0x0002, "Notice"},
    {0x0010, "NodeDescription"},
    {0x0011, "NodeInfo"},
    {0x0012, "SwitchInfo"},
    {0x0014, "GUIDInfo"},
    {0x0015, "PortInfo"},
    {0x0016, "P_KeyTable"},
    {0x0017, "SLtoVLMappingTable"},
    {0x0018, "VLArbitrationTable"},
    {0x0019, "LinearForwardingTable"},
    {0x001A, "RandomForwardingTable"},
    {0x001B, "MulticastForwardingTable"},
    {0x0020, "SMInfo"},
    {0x0030, "VendorDiag"},
    {0x0031, "LedInfo"},
};

static const struct word CHANGES[] = {
    {0x01, "NodeDescription"}, {0x02, "LinkWidthEnabled"}, {0x04, "LinkSpeedEnabled"},
    {0x08, "SM priority"},     {0x10, "HierarchyInfo"},    {0x20, "CapabilityMask2"},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *words_find(const struct word *words, size_t n, unsigned number)
{
    for (size_t i = 0; i < n; i++) {
        if (words[i].number == number)
            return words[i].word;
    }
    return NULL;
}

static void add_bits(struct text *t, const struct word *words, size_t n, unsigned bits)
{
    const char *separator = "";
    for (size_t i = 0; i < n; i++) {
        if (bits & words[i].number) {
            text_add(t, separator);
            text_add(t, words[i].word);
            separator = ", ";
        }
    }
}

const char *words_smp_method(uint8_t method)
{
    return words_find(METHODS, COUNT(METHODS), method);
}

const char *words_smp_attribute(uint16_t attribute)
{
    return words_find(ATTRIBUTES, COUNT(ATTRIBUTES), attribute);
}

const char *words_node_type(uint8_t type)
{
    static const char *const WORDS[] = {
        [FABRIC_CA] = "host", [FABRIC_SWITCH] = "switch", [FABRIC_ROUTER] = "router"};
    return type >= FABRIC_CA && type <= FABRIC_ROUTER ? WORDS[type] : "";
}

void words_add_change_flags(struct text *t, uint16_t flags)
{
    add_bits(t, CHANGES, COUNT(CHANGES), flags);
}

const char *words_port_state(unsigned state)
{
    static const char *const STATES[] = {"unknown", "down", "initialize", "armed", "active"};
    return STATES[state < COUNT(STATES) ? state : 0];
}
