// SPDX-License-Identifier: BSD-2-Clause
// The fields of an event: number, name, and place of the value. model/field.h has their values.
// Decides: Which fields does an event have, and how is each field written?
#pragma once

// A row has the field's number, its name for users, and the kind of its value with the member of
// struct event that has the value. Kinds: a NUMBER is decimal, HEX has the given number of digits.
// field.c computes the values of the COMPUTED kinds from several members.
//
// - A port of 255 is unknown.
// - peerNodeGuid is the GUID of an I/O controller, if the peer is a controller.
// - switchPort is the port of the link at the switch that switchGuid names.
// - neighbourGuid is the switch at the other end of the link; 0: none.
// - formerPort is the port of a moved subject that had the old link, and formerGuid the node at the
//   other end of the old link. formerStatus is the gswTopoComSwitchStatus of a link that is gone.
// - parts is the number of adapters or ASICs of the subject's system, and partsChanged the number
// of
//   those that came or went by the event.
// - window is in minutes.
// - blame, localReason and remoteReason are as the ends of a link tell: "own" is the subject's end.
// - eventIndex, eventLevel and eventTimes are columns of the gswEventTable.
#define FIELD_TABLE(FIELD)                                                                         \
    FIELD(EVENT_ID, "id", TEXT(id))                                                                \
    FIELD(EVENT_NAME, "event", COMPUTED_TEXT)                                                      \
    FIELD(TIME, "time", COMPUTED_WORD)                                                             \
    FIELD(SEVERITY, "severity", COMPUTED_WORD)                                                     \
    FIELD(CATEGORY, "category", COMPUTED_WORD)                                                     \
    FIELD(ALARM_STATE, "alarmState", COMPUTED_WORD)                                                \
    FIELD(ALARM_KEY, "alarmKey", TEXT(alarm_key))                                                  \
    FIELD(CLEARS_ID, "clearsId", TEXT(clears_id))                                                  \
    FIELD(SUMMARISED, "summarised", COMPUTED_TEXT)                                                 \
    FIELD(CLEARED, "cleared", COMPUTED_TEXT)                                                       \
    FIELD(REPEAT_COUNT, "repeatCount", NUMBER(repeat_count))                                       \
    FIELD(SINCE, "since", COMPUTED_WORD)                                                           \
    FIELD(SUBNET_PREFIX, "subnetPrefix", HEX(16, subnet_prefix))                                   \
    FIELD(FABRIC, "fabric", TEXT(fabric))                                                          \
    FIELD(TEXT, "text", TEXT(text))                                                                \
    FIELD(REASON, "reason", TEXT(reason))                                                          \
    FIELD(RAW, "raw", OCTETS(raw))                                                                 \
    FIELD(RECEIVER, "receiver", TEXT(receiver))                                                    \
    FIELD(LOST, "lost", NUMBER(lost))                                                              \
    FIELD(SWITCH_GUID, "switchGuid", HEX(16, switch_guid))                                         \
    FIELD(SWITCH_REASON, "switchReason", COMPUTED_DECIMAL)                                         \
    FIELD(ISSUER_LID, "issuerLid", NUMBER(issuer.lid))                                             \
    FIELD(ISSUER_GID, "issuerGid", GID(issuer.gid))                                                \
    FIELD(TRAP, "trap", NUMBER(notice.trap))                                                       \
    FIELD(VENDOR_ID, "vendorId", HEX(6, notice.producer))                                          \
    FIELD(DEVICE_ID, "deviceId", HEX(4, notice.trap))                                              \
    FIELD(LID, "lid", NUMBER(notice.lid))                                                          \
    FIELD(LID2, "lid2", NUMBER(notice.lid2))                                                       \
    FIELD(GID1, "gid1", GID(notice.gid1))                                                          \
    FIELD(GID2, "gid2", GID(notice.gid2))                                                          \
    FIELD(PORT, "port", NUMBER(notice.port))                                                       \
    FIELD(LOCAL_CHANGES, "localChanges", NUMBER(notice.local_changes))                             \
    FIELD(CHANGE_FLAGS, "changeFlags", HEX(4, notice.change_flags))                                \
    FIELD(CAPABILITY_MASK, "capabilityMask", HEX(8, notice.capability_mask))                       \
    FIELD(CAPABILITY_MASK2, "capabilityMask2", HEX(4, notice.capability_mask2))                    \
    FIELD(SYSTEM_IMAGE_GUID, "systemImageGuid", HEX(16, notice.system_image_guid))                 \
    FIELD(MKEY, "mkey", HEX(16, notice.key))                                                       \
    FIELD(PKEY, "pkey", HEX(4, notice.key))                                                        \
    FIELD(QKEY, "qkey", HEX(8, notice.key))                                                        \
    FIELD(KEY, "key", HEX(1, notice.key))                                                          \
    FIELD(METHOD, "method", HEX(2, notice.method))                                                 \
    FIELD(ATTRIBUTE, "attribute", HEX(4, notice.attribute))                                        \
    FIELD(ATTRIBUTE_MODIFIER, "attributeModifier", HEX(8, notice.attribute_modifier))              \
    FIELD(DR_SLID, "drSlid", NUMBER(notice.dr_slid))                                               \
    FIELD(DR_TRUNCATED, "drPathTruncated", NUMBER(notice.dr_truncated))                            \
    FIELD(DR_PATH, "drPath", OCTETS(notice.dr_path))                                               \
    FIELD(SL, "sl", NUMBER(notice.sl))                                                             \
    FIELD(QP1, "qp1", HEX(6, notice.qp1))                                                          \
    FIELD(QP2, "qp2", HEX(6, notice.qp2))                                                          \
    FIELD(DATA_VALID, "dataValid", HEX(4, notice.data_valid))                                      \
    FIELD(SWITCH_LID, "switchLid", NUMBER(notice.switch_lid))                                      \
    FIELD(SUBJECT_LID, "subjectLid", NUMBER(subject.lid))                                          \
    FIELD(SUBJECT_NAME, "subjectName", TEXT(subject.name))                                         \
    FIELD(SUBJECT_NODE_GUID, "subjectNodeGuid", HEX(16, subject.node_guid))                        \
    FIELD(SUBJECT_TYPE, "subjectType", COMPUTED_WORD)                                              \
    FIELD(SUBJECT_PORT, "subjectPort", COMPUTED_DECIMAL)                                           \
    FIELD(PEER_NODE_GUID, "peerNodeGuid", COMPUTED_HEX)                                            \
    FIELD(PEER_NAME, "peerName", TEXT(peer.name))                                                  \
    FIELD(PEER_PORT, "peerPort", COMPUTED_DECIMAL)                                                 \
    FIELD(SWITCH_PORT, "switchPort", COMPUTED_DECIMAL)                                             \
    FIELD(NEIGHBOUR_GUID, "neighbourGuid", COMPUTED_HEX)                                           \
    FIELD(TOPO_REASON, "topoReason", COMPUTED_DECIMAL)                                             \
    FIELD(FORMER_PORT, "formerPort", NUMBER(former.port))                                          \
    FIELD(FORMER_GUID, "formerGuid", HEX(16, former.node_guid))                                    \
    FIELD(FORMER_STATUS, "formerStatus", COMPUTED_DECIMAL)                                         \
    FIELD(AFFECTED, "affected", NUMBER(affected))                                                  \
    FIELD(PARTS, "parts", NUMBER(parts))                                                           \
    FIELD(PARTS_CHANGED, "partsChanged", NUMBER(parts_changed))                                    \
    FIELD(SM_GUID, "smGuid", HEX(16, sm_guid))                                                     \
    FIELD(COUNTER, "counter", COMPUTED_TEXT)                                                       \
    FIELD(COUNTER_OLD, "counterOld", NUMBER(counter_old))                                          \
    FIELD(COUNTER_NEW, "counterNew", NUMBER(counter_new))                                          \
    FIELD(ERRORS, "errors", NUMBER(errors))                                                        \
    FIELD(WINDOW, "window", NUMBER(window_min))                                                    \
    FIELD(ERROR_RATE, "errorRate", TEXT(error_rate))                                               \
    FIELD(ERROR_RATE_LIMIT, "errorRateLimit", TEXT(error_rate_limit))                              \
    FIELD(LINK_RATE, "linkRate", TEXT(link_rate))                                                  \
    FIELD(OCCASIONS, "occasions", NUMBER(occasions))                                               \
    FIELD(OCCASION_DAYS, "occasionDays", NUMBER(occasion_days))                                    \
    FIELD(FAILURES, "failures", NUMBER(failures))                                                  \
    FIELD(FLAPS, "flaps", NUMBER(flaps))                                                           \
    FIELD(ERROR_ALARMS, "errorAlarms", NUMBER(error_alarms))                                       \
    FIELD(DATES, "dates", TEXT(dates))                                                             \
    FIELD(LINK_CAUSE, "linkCause", TEXT(link_cause))                                               \
    FIELD(BLAME, "blame", COMPUTED_TEXT)                                                           \
    FIELD(LOCAL_REASON, "localReason", COMPUTED_TEXT)                                              \
    FIELD(REMOTE_REASON, "remoteReason", COMPUTED_TEXT)                                            \
    FIELD(DEVICE_TEXT, "deviceText", TEXT(device_text))                                            \
    FIELD(MODULE_VENDOR, "moduleVendor", TEXT(module_vendor))                                      \
    FIELD(MODULE_PART, "modulePart", TEXT(module_part))                                            \
    FIELD(MODULE_SERIAL, "moduleSerial", TEXT(module_serial))                                      \
    FIELD(FORMER_SERIAL, "formerSerial", TEXT(former_serial))                                      \
    FIELD(FOUND_LATE, "foundLate", FLAG(found_late))                                               \
    FIELD(DERIVED, "derived", FLAG(derived))                                                       \
    FIELD(SENT_AGAIN, "sentAgain", FLAG(sent_again))                                               \
    FIELD(RELATED_ID, "relatedId", TEXT(related_id))                                               \
    FIELD(CAUSE_ID, "causeId", TEXT(cause_id))                                                     \
    FIELD(SUPPRESSED, "suppressed", TEXT(suppressed))                                              \
    FIELD(RULE, "rule", TEXT(rule))                                                                \
    FIELD(TEST, "test", FLAG(test))                                                                \
    FIELD(EVENT_INDEX, "eventIndex", COMPUTED_DECIMAL)                                             \
    FIELD(EVENT_LEVEL, "eventLevel", COMPUTED_DECIMAL)                                             \
    FIELD(EVENT_TIMES, "eventTimes", COMPUTED_DECIMAL)

#define FIELD_NUMBER(number, name, kind) FIELD_##number,
enum field {
    FIELD_NONE, // ends a list
    FIELD_TABLE(FIELD_NUMBER) FIELD_COUNT,
};
#undef FIELD_NUMBER
