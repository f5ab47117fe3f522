// SPDX-License-Identifier: BSD-2-Clause
// The fields of an event, by number. model/field.h has their names and values.
#ifndef IBTRAPD_MODEL_FIELD_ID_H
#define IBTRAPD_MODEL_FIELD_ID_H

enum field {
    FIELD_NONE, // ends a list
    FIELD_EVENT_ID,
    FIELD_EVENT_NAME,
    FIELD_TIME,
    FIELD_SEVERITY,
    FIELD_CATEGORY,
    FIELD_ALARM_STATE,
    FIELD_ALARM_KEY,
    FIELD_CLEARS_ID,
    FIELD_SUMMARISED,
    FIELD_CLEARED,
    FIELD_REPEAT_COUNT,
    FIELD_SINCE,
    FIELD_SUBNET_PREFIX,
    FIELD_TEXT,
    FIELD_REASON,
    FIELD_RAW,
    FIELD_RECEIVER,
    FIELD_LOST,
    FIELD_SWITCH_GUID,
    FIELD_SWITCH_REASON,
    FIELD_ISSUER_LID,
    FIELD_ISSUER_GID,
    FIELD_TRAP,
    FIELD_VENDOR_ID,
    FIELD_DEVICE_ID,
    FIELD_LID,
    FIELD_LID2,
    FIELD_GID1,
    FIELD_GID2,
    FIELD_PORT,
    FIELD_LOCAL_CHANGES,
    FIELD_CHANGE_FLAGS,
    FIELD_CAPABILITY_MASK,
    FIELD_CAPABILITY_MASK2,
    FIELD_SYSTEM_IMAGE_GUID,
    FIELD_MKEY,
    FIELD_PKEY,
    FIELD_QKEY,
    FIELD_KEY,
    FIELD_METHOD,
    FIELD_ATTRIBUTE,
    FIELD_ATTRIBUTE_MODIFIER,
    FIELD_DR_SLID,
    FIELD_DR_TRUNCATED,
    FIELD_DR_PATH,
    FIELD_SL,
    FIELD_QP1,
    FIELD_QP2,
    FIELD_DATA_VALID,
    FIELD_SWITCH_LID,
    FIELD_SUBJECT_LID,
    FIELD_SUBJECT_NAME,
    FIELD_SUBJECT_NODE_GUID,
    FIELD_SUBJECT_TYPE,
    FIELD_SUBJECT_PORT,   // 255: unknown, here and below
    FIELD_PEER_NODE_GUID, // of an I/O controller: its own GUID
    FIELD_PEER_NAME,
    FIELD_PEER_PORT,
    FIELD_SWITCH_PORT,    // of the link, at the switch that switchGuid names
    FIELD_NEIGHBOUR_GUID, // of the switch at the link's other end; 0: none
    FIELD_TOPO_REASON,
    FIELD_FORMER_PORT,   // of something that moved: of the subject, to where it was, here and below
    FIELD_FORMER_GUID,   // of the node there
    FIELD_FORMER_STATUS, // gswTopoComSwitchStatus: that the link is gone
    FIELD_AFFECTED,
    FIELD_SM_GUID,
    FIELD_COUNTER,
    FIELD_COUNTER_OLD,
    FIELD_COUNTER_NEW,
    FIELD_FOUND_LATE,
    FIELD_DERIVED,
    FIELD_RELATED_ID,
    FIELD_CAUSE_ID,
    FIELD_SUPPRESSED,
    FIELD_RULE,
    FIELD_TEST,
    FIELD_EVENT_INDEX, // of the gswEventTable, here and below
    FIELD_EVENT_LEVEL,
    FIELD_EVENT_TIMES,
    FIELD_COUNT,
};

#endif
