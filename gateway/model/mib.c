#include "model/mib.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/wire.h"
#include "mib_root.h"
#include "model/field.h"

#include <assert.h>
#include <string.h>
#include <time.h>

// The arguments are the sub-identifiers; the length is counted from them.
#define OID(...)                                                                                   \
    {                                                                                              \
        {__VA_ARGS__}, (uint8_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))       \
    }

// The objects.

#define SMA_OBJECT(id)       OID(1, 3, 6, 1, 3, 117, 3, 1, 1, id)
#define OWN_OBJECT(id)       OID(MIB_ROOT_IDS, 1, 1, id)
#define GSW_PORT_COLUMN(id)  OID(1, 3, 6, 1, 3, 2, 2, 1, 10, 5, 1, id)
#define GSW_SW_COLUMN(id)    OID(1, 3, 6, 1, 3, 2, 2, 1, 2, 25, 1, id)
#define GSW_LINK_COLUMN(id)  OID(1, 3, 6, 1, 3, 2, 2, 1, 5, 1, 1, id)
#define GSW_TOPO_COLUMN(id)  OID(1, 3, 6, 1, 3, 2, 2, 1, 5, 5, 1, id)
#define GSW_EVENT_COLUMN(id) OID(1, 3, 6, 1, 3, 2, 2, 1, 15, 1, 1, id)

#define OBJECT(var, text, where, kind, octets, from)                                               \
    static const struct mib_object var = {text, where, kind, octets, from}

OBJECT(SMA_IMAGE_GUID, "ibSmaSystemImageGuid", SMA_OBJECT(6), MIB_OCTETS, 8,
       FIELD_SYSTEM_IMAGE_GUID);
OBJECT(SMA_LID, "ibSmaNodeLid", SMA_OBJECT(14), MIB_UNSIGNED32, 0, FIELD_LID);
OBJECT(SMA_PORT, "ibSmaNodePortNum", SMA_OBJECT(15), MIB_UNSIGNED32, 0, FIELD_PORT);
OBJECT(SMA_METHOD, "ibSmaNodeMethod", SMA_OBJECT(16), MIB_UNSIGNED32, 0, FIELD_METHOD);
OBJECT(SMA_ATTRIBUTE, "ibSmaNodeAttributeId", SMA_OBJECT(17), MIB_UNSIGNED32, 0, FIELD_ATTRIBUTE);
OBJECT(SMA_MODIFIER, "ibSmaNodeAttributeModifier", SMA_OBJECT(18), MIB_UNSIGNED32, 0,
       FIELD_ATTRIBUTE_MODIFIER);
OBJECT(SMA_KEY, "ibSmaNodeKey", SMA_OBJECT(19), MIB_OCTETS, 8, FIELD_KEY);
OBJECT(SMA_LID2, "ibSmaNodeLid2", SMA_OBJECT(20), MIB_UNSIGNED32, 0, FIELD_LID2);
OBJECT(SMA_SL, "ibSmaNodeServiceLevel", SMA_OBJECT(21), MIB_UNSIGNED32, 0, FIELD_SL);
OBJECT(SMA_QP1, "ibSmaNodeQueuePair1", SMA_OBJECT(22), MIB_UNSIGNED32, 0, FIELD_QP1);
OBJECT(SMA_QP2, "ibSmaNodeQueuePair2", SMA_OBJECT(23), MIB_UNSIGNED32, 0, FIELD_QP2);
OBJECT(SMA_GID1, "ibSmaNodeGid1", SMA_OBJECT(24), MIB_OCTETS, 16, FIELD_GID1);
// What UnPath and RePath are about is not decoded: their GID is that of the issuer.
OBJECT(SMA_GID1_ISSUER, "ibSmaNodeGid1", SMA_OBJECT(24), MIB_OCTETS, 16, FIELD_ISSUER_GID);
OBJECT(SMA_GID2, "ibSmaNodeGid2", SMA_OBJECT(25), MIB_OCTETS, 16, FIELD_GID2);
OBJECT(SMA_CAPABILITY, "ibSmaNodeCapMask", SMA_OBJECT(26), MIB_OCTETS, 4, FIELD_CAPABILITY_MASK);
OBJECT(SMA_SWITCH_LID, "ibSmaNodeSwitchLid", SMA_OBJECT(27), MIB_UNSIGNED32, 0, FIELD_SWITCH_LID);
OBJECT(SMA_VALID, "ibSmaNodeDataValid", SMA_OBJECT(28), MIB_BITS, 1, FIELD_DATA_VALID);

OBJECT(GSW_PORT_SWITCH, "gswIBPortSwitchId", GSW_PORT_COLUMN(1), MIB_GLOBAL_ID, MIB_GLOBAL_ID_SIZE,
       FIELD_SWITCH_GUID);
OBJECT(GSW_PORT_INDEX, "gswIBPortIndex", GSW_PORT_COLUMN(2), MIB_INTEGER32, 0, FIELD_PORT);
OBJECT(GSW_PORT_REASON, "gswIBPortChangeReason", GSW_PORT_COLUMN(38), MIB_INTEGER32, 0,
       FIELD_SWITCH_REASON);
OBJECT(GSW_SW_SWITCH, "gswIBSwSwitchId", GSW_SW_COLUMN(1), MIB_GLOBAL_ID, MIB_GLOBAL_ID_SIZE,
       FIELD_SWITCH_GUID);
OBJECT(GSW_SW_REASON, "gswIBSwitchChangeReason", GSW_SW_COLUMN(8), MIB_INTEGER32, 0,
       FIELD_SWITCH_REASON);
OBJECT(GSW_LINK_SWITCH, "gswTopoComSwitchId", GSW_LINK_COLUMN(1), MIB_GLOBAL_ID, MIB_GLOBAL_ID_SIZE,
       FIELD_SWITCH_GUID);
OBJECT(GSW_LINK_NEIGHBOUR, "gswTopoComNbSwitchId", GSW_LINK_COLUMN(3), MIB_GLOBAL_ID,
       MIB_GLOBAL_ID_SIZE, FIELD_NEIGHBOUR_GUID);
OBJECT(GSW_LINK_STATUS, "gswTopoComSwitchStatus", GSW_LINK_COLUMN(5), MIB_INTEGER32, 0,
       FIELD_SWITCH_REASON);
OBJECT(GSW_TOPO_SWITCH, "gswIBTopoSwitchId", GSW_TOPO_COLUMN(1), MIB_GLOBAL_ID, MIB_GLOBAL_ID_SIZE,
       FIELD_SWITCH_GUID);
OBJECT(GSW_TOPO_REASON, "gswIBTopoChangeReason", GSW_TOPO_COLUMN(2), MIB_INTEGER32, 0,
       FIELD_TOPO_REASON);

OBJECT(GSW_EVENT_SWITCH, "gswEventSwitchId", GSW_EVENT_COLUMN(1), MIB_GLOBAL_ID, MIB_GLOBAL_ID_SIZE,
       FIELD_SWITCH_GUID);
OBJECT(GSW_EVENT_INDEX, "gswEventIndex", GSW_EVENT_COLUMN(2), MIB_INTEGER32, 0, FIELD_EVENT_INDEX);
OBJECT(GSW_EVENT_TIME, "gswEventTimeInfo", GSW_EVENT_COLUMN(3), MIB_DATE_TEXT, 0, FIELD_TIME);
OBJECT(GSW_EVENT_LEVEL, "gswEventLevel", GSW_EVENT_COLUMN(4), MIB_INTEGER32, 0, FIELD_EVENT_LEVEL);
OBJECT(GSW_EVENT_TIMES, "gswEventRepeatCount", GSW_EVENT_COLUMN(5), MIB_INTEGER32, 0,
       FIELD_EVENT_TIMES);
OBJECT(GSW_EVENT_TEXT, "gswEventDescr", GSW_EVENT_COLUMN(6), MIB_ASCII, 0, FIELD_TEXT);

OBJECT(OWN_ID, "ibtrapdEventId", OWN_OBJECT(1), MIB_OCTETS, 0, FIELD_EVENT_ID);
OBJECT(OWN_NAME, "ibtrapdEventName", OWN_OBJECT(2), MIB_OCTETS, 0, FIELD_EVENT_NAME);
OBJECT(OWN_TIME, "ibtrapdEventTime", OWN_OBJECT(3), MIB_DATE_AND_TIME, 11, FIELD_TIME);
OBJECT(OWN_SEVERITY, "ibtrapdEventSeverity", OWN_OBJECT(4), MIB_INTEGER32, 0, FIELD_SEVERITY);
OBJECT(OWN_CATEGORY, "ibtrapdEventCategory", OWN_OBJECT(5), MIB_INTEGER32, 0, FIELD_CATEGORY);
OBJECT(OWN_ALARM_STATE, "ibtrapdAlarmState", OWN_OBJECT(6), MIB_INTEGER32, 0, FIELD_ALARM_STATE);
OBJECT(OWN_ALARM_KEY, "ibtrapdAlarmKey", OWN_OBJECT(7), MIB_OCTETS, 0, FIELD_ALARM_KEY);
OBJECT(OWN_PREFIX, "ibtrapdSubnetPrefix", OWN_OBJECT(8), MIB_OCTETS, 8, FIELD_SUBNET_PREFIX);
OBJECT(OWN_NODE_GUID, "ibtrapdNodeGuid", OWN_OBJECT(9), MIB_OCTETS, 8, FIELD_SUBJECT_NODE_GUID);
OBJECT(OWN_NODE_NAME, "ibtrapdNodeName", OWN_OBJECT(10), MIB_OCTETS, 0, FIELD_SUBJECT_NAME);
OBJECT(OWN_NODE_TYPE, "ibtrapdNodeType", OWN_OBJECT(11), MIB_INTEGER32, 0, FIELD_SUBJECT_TYPE);
OBJECT(OWN_PORT, "ibtrapdPort", OWN_OBJECT(12), MIB_UNSIGNED32, 0, FIELD_SUBJECT_PORT);
OBJECT(OWN_LID, "ibtrapdLid", OWN_OBJECT(13), MIB_UNSIGNED32, 0, FIELD_ISSUER_LID);
OBJECT(OWN_NODE_LID, "ibtrapdLid", OWN_OBJECT(13), MIB_UNSIGNED32, 0, FIELD_SUBJECT_LID);
OBJECT(OWN_PEER_GUID, "ibtrapdPeerGuid", OWN_OBJECT(14), MIB_OCTETS, 8, FIELD_PEER_NODE_GUID);
OBJECT(OWN_PEER_NAME, "ibtrapdPeerName", OWN_OBJECT(15), MIB_OCTETS, 0, FIELD_PEER_NAME);
OBJECT(OWN_PEER_PORT, "ibtrapdPeerPort", OWN_OBJECT(16), MIB_UNSIGNED32, 0, FIELD_PEER_PORT);
OBJECT(OWN_TEXT, "ibtrapdEventText", OWN_OBJECT(17), MIB_OCTETS, 0, FIELD_TEXT);
OBJECT(OWN_RAW, "ibtrapdRawNotice", OWN_OBJECT(18), MIB_OCTETS, 0, FIELD_RAW);
OBJECT(OWN_REPEATS, "ibtrapdRepeatCount", OWN_OBJECT(19), MIB_UNSIGNED32, 0, FIELD_REPEAT_COUNT);
OBJECT(OWN_LATE, "ibtrapdFoundLate", OWN_OBJECT(20), MIB_TRUTH, 0, FIELD_FOUND_LATE);
OBJECT(OWN_TRAP, "ibtrapdTrapNumber", OWN_OBJECT(21), MIB_UNSIGNED32, 0, FIELD_TRAP);
OBJECT(OWN_VENDOR, "ibtrapdVendorId", OWN_OBJECT(22), MIB_UNSIGNED32, 0, FIELD_VENDOR_ID);
OBJECT(OWN_COUNTER, "ibtrapdCounterName", OWN_OBJECT(23), MIB_OCTETS, 0, FIELD_COUNTER);
OBJECT(OWN_COUNTER_OLD, "ibtrapdCounterOldValue", OWN_OBJECT(24), MIB_DIGITS, 0, FIELD_COUNTER_OLD);
OBJECT(OWN_COUNTER_NEW, "ibtrapdCounterNewValue", OWN_OBJECT(25), MIB_DIGITS, 0, FIELD_COUNTER_NEW);
OBJECT(OWN_STORM_EVENT, "ibtrapdStormEventName", OWN_OBJECT(26), MIB_OCTETS, 0, FIELD_SUMMARISED);
OBJECT(OWN_STORM_COUNT, "ibtrapdStormCount", OWN_OBJECT(27), MIB_UNSIGNED32, 0, FIELD_REPEAT_COUNT);
OBJECT(OWN_STORM_SINCE, "ibtrapdStormSince", OWN_OBJECT(28), MIB_DATE_AND_TIME, 11, FIELD_SINCE);
OBJECT(OWN_RECEIVER, "ibtrapdReceiverName", OWN_OBJECT(29), MIB_OCTETS, 0, FIELD_RECEIVER);
OBJECT(OWN_SM_GUID, "ibtrapdSmGuid", OWN_OBJECT(30), MIB_OCTETS, 8, FIELD_SM_GUID);
OBJECT(OWN_LOST, "ibtrapdDroppedCount", OWN_OBJECT(31), MIB_UNSIGNED32, 0, FIELD_LOST);
OBJECT(OWN_REASON, "ibtrapdReason", OWN_OBJECT(32), MIB_OCTETS, 0, FIELD_REASON);
OBJECT(OWN_RELATED, "ibtrapdRelatedEventId", OWN_OBJECT(33), MIB_OCTETS, 0, FIELD_RELATED_ID);
OBJECT(OWN_CAUSE, "ibtrapdCauseEventId", OWN_OBJECT(34), MIB_OCTETS, 0, FIELD_CAUSE_ID);
OBJECT(OWN_DERIVED, "ibtrapdDerived", OWN_OBJECT(35), MIB_TRUTH, 0, FIELD_DERIVED);
OBJECT(OWN_AFFECTED, "ibtrapdAffectedNodes", OWN_OBJECT(36), MIB_UNSIGNED32, 0, FIELD_AFFECTED);

// The notifications.

#define SMA_NOTIFICATION(id) OID(1, 3, 6, 1, 3, 117, 3, 2, 0, id)
#define GSW_NOTIFICATION(id) OID(1, 3, 6, 1, 3, 2, 2, 1, 0, id)
#define OWN_NOTIFICATION(id) OID(MIB_ROOT_IDS, 0, id)

#define NOTIFICATION(var, text, where, kind, ...)                                                  \
    const struct mib_notification var = {text, where, kind, {__VA_ARGS__}}

NOTIFICATION(MIB_SMA_PORT_LINK_STATE_CHANGE, "ibSmaPortLinkStateChange", SMA_NOTIFICATION(1),
             MIB_SCALARS, &SMA_LID);
NOTIFICATION(MIB_SMA_LINK_INTEGRITY, "ibSmaLinkIntegrityThresReached", SMA_NOTIFICATION(2),
             MIB_SCALARS, &SMA_LID, &SMA_PORT);
NOTIFICATION(MIB_SMA_EXCESS_BUFF_OVERRUN, "ibSmaExcessBuffOverrunThres", SMA_NOTIFICATION(3),
             MIB_SCALARS, &SMA_LID, &SMA_PORT);
NOTIFICATION(MIB_SMA_FLOW_CONTROL, "ibSmaFlowCntrlUpdateTimerExpire", SMA_NOTIFICATION(4),
             MIB_SCALARS, &SMA_LID, &SMA_PORT);
NOTIFICATION(MIB_SMA_CAPABILITY_MASK, "ibSmaCapabilityMaskModified", SMA_NOTIFICATION(5),
             MIB_SCALARS, &SMA_LID, &SMA_CAPABILITY);
NOTIFICATION(MIB_SMA_SYS_IMAGE_GUID, "ibSmaSysImageGuidModified", SMA_NOTIFICATION(6), MIB_SCALARS,
             &SMA_LID, &SMA_IMAGE_GUID);
NOTIFICATION(MIB_SMA_BAD_MKEY, "ibSmaBadManagementKey", SMA_NOTIFICATION(7), MIB_SCALARS, &SMA_KEY,
             &SMA_LID, &SMA_METHOD, &SMA_ATTRIBUTE, &SMA_MODIFIER);

#define BAD_KEY_OBJECTS                                                                            \
    &SMA_KEY, &SMA_LID, &SMA_GID1, &SMA_QP1, &SMA_LID2, &SMA_GID2, &SMA_QP2, &SMA_SL

NOTIFICATION(MIB_SMA_BAD_PKEY, "ibSmaBadPartitionKey", SMA_NOTIFICATION(8), MIB_SCALARS,
             BAD_KEY_OBJECTS);
NOTIFICATION(MIB_SMA_BAD_QKEY, "ibSmaBadQueueKey", SMA_NOTIFICATION(9), MIB_SCALARS,
             BAD_KEY_OBJECTS);
NOTIFICATION(MIB_SMA_BAD_PKEY_AT_SWITCH, "ibSmaBadPKeyAtSwitchPort", SMA_NOTIFICATION(10),
             MIB_SCALARS, BAD_KEY_OBJECTS, &SMA_SWITCH_LID, &SMA_VALID, &SMA_PORT);

NOTIFICATION(MIB_GSW_PORT_TRAP, "gswIBPortTrap", GSW_NOTIFICATION(5), MIB_BY_SWITCH_PORT,
             &GSW_PORT_SWITCH, &GSW_PORT_INDEX, &GSW_PORT_REASON);
NOTIFICATION(MIB_GSW_SWITCH_TRAP, "gswIBSwitchTrap", GSW_NOTIFICATION(8), MIB_BY_SWITCH,
             &GSW_SW_SWITCH, &GSW_SW_REASON);
NOTIFICATION(MIB_GSW_TOPO_COM_TRAP, "gswTopoComTrap", GSW_NOTIFICATION(1), MIB_BY_SWITCH_LINK,
             &GSW_LINK_SWITCH, &GSW_LINK_NEIGHBOUR, &GSW_LINK_STATUS);
NOTIFICATION(MIB_GSW_IB_TOPO_TRAP, "gswIBTopoTrap", GSW_NOTIFICATION(2), MIB_BY_SWITCH,
             &GSW_TOPO_SWITCH, &GSW_TOPO_REASON);
NOTIFICATION(MIB_GSW_EVENT_TRAP, "gswEventTrap", GSW_NOTIFICATION(10), MIB_BY_SWITCH_EVENT,
             &GSW_EVENT_SWITCH, &GSW_EVENT_INDEX, &GSW_EVENT_TIME, &GSW_EVENT_LEVEL,
             &GSW_EVENT_TIMES, &GSW_EVENT_TEXT);

#define COMMON &OWN_ID, &OWN_NAME, &OWN_TIME, &OWN_SEVERITY, &OWN_CATEGORY, &OWN_PREFIX, &OWN_TEXT

const struct mib_notification MIB_EXTRA = {NULL, {{0}, 0}, MIB_SCALARS, {COMMON, &OWN_DERIVED}};

NOTIFICATION(MIB_OWN_GID_IN_SERVICE, "ibtrapdGidInService", OWN_NOTIFICATION(1), MIB_SCALARS,
             &SMA_GID1, COMMON);
NOTIFICATION(MIB_OWN_GID_OUT_OF_SERVICE, "ibtrapdGidOutOfService", OWN_NOTIFICATION(2), MIB_SCALARS,
             &SMA_GID1, COMMON);
NOTIFICATION(MIB_OWN_MCAST_GROUP_CREATED, "ibtrapdMcastGroupCreated", OWN_NOTIFICATION(3),
             MIB_SCALARS, &SMA_GID1, COMMON);
NOTIFICATION(MIB_OWN_MCAST_GROUP_DELETED, "ibtrapdMcastGroupDeleted", OWN_NOTIFICATION(4),
             MIB_SCALARS, &SMA_GID1, COMMON);
NOTIFICATION(MIB_OWN_UNPATH, "ibtrapdUnPath", OWN_NOTIFICATION(5), MIB_SCALARS, &SMA_GID1_ISSUER,
             COMMON, &OWN_RAW);
NOTIFICATION(MIB_OWN_REPATH, "ibtrapdRePath", OWN_NOTIFICATION(6), MIB_SCALARS, &SMA_GID1_ISSUER,
             COMMON, &OWN_RAW);
NOTIFICATION(MIB_OWN_VENDOR_TRAP, "ibtrapdVendorTrap", OWN_NOTIFICATION(7), MIB_SCALARS, COMMON,
             &OWN_LID, &OWN_VENDOR, &OWN_TRAP, &OWN_RAW);
NOTIFICATION(MIB_OWN_UNKNOWN_TRAP, "ibtrapdUnknownTrap", OWN_NOTIFICATION(8), MIB_SCALARS, COMMON,
             &OWN_LID, &OWN_TRAP, &OWN_RAW);
NOTIFICATION(MIB_OWN_MALFORMED_MAD, "ibtrapdMalformedMad", OWN_NOTIFICATION(9), MIB_SCALARS, COMMON,
             &OWN_LID, &OWN_RAW);
NOTIFICATION(MIB_OWN_GATEWAY_STARTED, "ibtrapdGatewayStarted", OWN_NOTIFICATION(80), MIB_SCALARS,
             COMMON, &OWN_REASON);
NOTIFICATION(MIB_OWN_GATEWAY_STOPPED, "ibtrapdGatewayStopped", OWN_NOTIFICATION(81), MIB_SCALARS,
             COMMON, &OWN_REASON);
NOTIFICATION(MIB_OWN_SUBSCRIPTION_LOST, "ibtrapdSubscriptionLost", OWN_NOTIFICATION(82),
             MIB_SCALARS, COMMON, &OWN_ALARM_STATE, &OWN_ALARM_KEY, &OWN_REASON);
NOTIFICATION(MIB_OWN_SUBSCRIPTION_RESTORED, "ibtrapdSubscriptionRestored", OWN_NOTIFICATION(83),
             MIB_SCALARS, COMMON, &OWN_ALARM_STATE, &OWN_ALARM_KEY, &OWN_REASON);

NOTIFICATION(MIB_OWN_RECEIVER_FAILING, "ibtrapdReceiverFailing", OWN_NOTIFICATION(86), MIB_SCALARS,
             COMMON, &OWN_ALARM_STATE, &OWN_ALARM_KEY, &OWN_RECEIVER, &OWN_LOST, &OWN_REASON);
NOTIFICATION(MIB_OWN_RECEIVER_BACK, "ibtrapdReceiverBack", OWN_NOTIFICATION(87), MIB_SCALARS,
             COMMON, &OWN_ALARM_STATE, &OWN_ALARM_KEY, &OWN_RECEIVER, &OWN_LOST, &OWN_REASON);
NOTIFICATION(MIB_OWN_JOURNAL_DROPPING, "ibtrapdJournalDropping", OWN_NOTIFICATION(88), MIB_SCALARS,
             COMMON, &OWN_LOST, &OWN_REASON);
NOTIFICATION(MIB_OWN_JOURNAL_DEGRADED, "ibtrapdJournalDegraded", OWN_NOTIFICATION(91), MIB_SCALARS,
             COMMON, &OWN_ALARM_STATE, &OWN_ALARM_KEY, &OWN_REASON);
NOTIFICATION(MIB_OWN_JOURNAL_HEALED, "ibtrapdJournalHealed", OWN_NOTIFICATION(92), MIB_SCALARS,
             COMMON, &OWN_ALARM_STATE, &OWN_ALARM_KEY, &OWN_REASON);

// What a sweep found begins and ends with the same.
#define ALARM   &OWN_ALARM_STATE, &OWN_ALARM_KEY
#define NODE    &OWN_NODE_GUID, &OWN_NODE_NAME
#define PEER    &OWN_PEER_GUID, &OWN_PEER_NAME, &OWN_PEER_PORT
#define STORY   &OWN_REPEATS, &OWN_LATE, &OWN_RELATED, &OWN_CAUSE
#define MACHINE NODE, &OWN_NODE_TYPE, &OWN_NODE_LID

NOTIFICATION(MIB_OWN_SWITCH_ADDED, "ibtrapdSwitchAdded", OWN_NOTIFICATION(20), MIB_SCALARS, COMMON,
             ALARM, MACHINE, STORY, &OWN_AFFECTED);
NOTIFICATION(MIB_OWN_SWITCH_REMOVED, "ibtrapdSwitchRemoved", OWN_NOTIFICATION(21), MIB_SCALARS,
             COMMON, ALARM, MACHINE, STORY, &OWN_AFFECTED);
NOTIFICATION(MIB_OWN_SWITCH_MOVED, "ibtrapdSwitchMoved", OWN_NOTIFICATION(22), MIB_SCALARS, COMMON,
             ALARM, MACHINE, PEER, STORY);
NOTIFICATION(MIB_OWN_HOST_ADDED, "ibtrapdHostAdded", OWN_NOTIFICATION(23), MIB_SCALARS, COMMON,
             ALARM, MACHINE, PEER, STORY, &OWN_AFFECTED);
NOTIFICATION(MIB_OWN_HOST_REMOVED, "ibtrapdHostRemoved", OWN_NOTIFICATION(24), MIB_SCALARS, COMMON,
             ALARM, MACHINE, PEER, STORY, &OWN_AFFECTED);
NOTIFICATION(MIB_OWN_HOST_MOVED, "ibtrapdHostMoved", OWN_NOTIFICATION(25), MIB_SCALARS, COMMON,
             ALARM, MACHINE, PEER, STORY);
NOTIFICATION(MIB_OWN_ROUTER_ADDED, "ibtrapdRouterAdded", OWN_NOTIFICATION(26), MIB_SCALARS, COMMON,
             ALARM, MACHINE, PEER, STORY, &OWN_AFFECTED);
NOTIFICATION(MIB_OWN_ROUTER_REMOVED, "ibtrapdRouterRemoved", OWN_NOTIFICATION(27), MIB_SCALARS,
             COMMON, ALARM, MACHINE, PEER, STORY, &OWN_AFFECTED);
NOTIFICATION(MIB_OWN_ROUTER_MOVED, "ibtrapdRouterMoved", OWN_NOTIFICATION(28), MIB_SCALARS, COMMON,
             ALARM, MACHINE, PEER, STORY);
NOTIFICATION(MIB_OWN_PORT_ADDED, "ibtrapdPortAdded", OWN_NOTIFICATION(29), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_PORT, STORY);
NOTIFICATION(MIB_OWN_PORT_REMOVED, "ibtrapdPortRemoved", OWN_NOTIFICATION(30), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_PORT, STORY);
NOTIFICATION(MIB_OWN_PORT_MOVED, "ibtrapdPortMoved", OWN_NOTIFICATION(31), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_PORT, PEER, STORY);
NOTIFICATION(MIB_OWN_LINK_ADDED, "ibtrapdLinkAdded", OWN_NOTIFICATION(32), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_PORT, PEER, STORY);
NOTIFICATION(MIB_OWN_LINK_REMOVED, "ibtrapdLinkRemoved", OWN_NOTIFICATION(33), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_PORT, PEER, STORY);
NOTIFICATION(MIB_OWN_LINK_MOVED, "ibtrapdLinkMoved", OWN_NOTIFICATION(34), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_PORT, PEER, STORY);
NOTIFICATION(MIB_OWN_LINK_DEGRADED, "ibtrapdLinkDegraded", OWN_NOTIFICATION(35), MIB_SCALARS,
             COMMON, ALARM, NODE, &OWN_PORT, PEER, STORY);
NOTIFICATION(MIB_OWN_LINK_RESTORED, "ibtrapdLinkRestored", OWN_NOTIFICATION(36), MIB_SCALARS,
             COMMON, ALARM, NODE, &OWN_PORT, PEER, STORY);
NOTIFICATION(MIB_OWN_NODE_RENAMED, "ibtrapdNodeRenamed", OWN_NOTIFICATION(37), MIB_SCALARS, COMMON,
             MACHINE, &OWN_REASON, STORY);
NOTIFICATION(MIB_OWN_LID_CHANGED, "ibtrapdLidChanged", OWN_NOTIFICATION(38), MIB_SCALARS, COMMON,
             NODE, &OWN_NODE_TYPE, &OWN_PORT, &OWN_NODE_LID, &OWN_REASON, STORY);
NOTIFICATION(MIB_OWN_SM_APPEARED, "ibtrapdSmAppeared", OWN_NOTIFICATION(39), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_PORT, &OWN_NODE_LID, &OWN_SM_GUID, STORY);
NOTIFICATION(MIB_OWN_SM_VANISHED, "ibtrapdSmVanished", OWN_NOTIFICATION(40), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_PORT, &OWN_NODE_LID, &OWN_SM_GUID, STORY);
NOTIFICATION(MIB_OWN_SM_FAILED_OVER, "ibtrapdSmFailedOver", OWN_NOTIFICATION(41), MIB_SCALARS,
             COMMON, NODE, &OWN_PORT, &OWN_NODE_LID, &OWN_PEER_GUID, &OWN_PEER_NAME, &OWN_SM_GUID,
             STORY);
NOTIFICATION(MIB_OWN_IO_UNIT_ADDED, "ibtrapdIoUnitAdded", OWN_NOTIFICATION(42), MIB_SCALARS, COMMON,
             ALARM, NODE, &OWN_NODE_LID, STORY);
NOTIFICATION(MIB_OWN_IO_UNIT_REMOVED, "ibtrapdIoUnitRemoved", OWN_NOTIFICATION(43), MIB_SCALARS,
             COMMON, ALARM, NODE, &OWN_NODE_LID, STORY);
NOTIFICATION(MIB_OWN_IO_CONTROLLER_ADDED, "ibtrapdIoControllerAdded", OWN_NOTIFICATION(44),
             MIB_SCALARS, COMMON, ALARM, NODE, &OWN_NODE_LID, PEER, STORY);
NOTIFICATION(MIB_OWN_IO_CONTROLLER_REMOVED, "ibtrapdIoControllerRemoved", OWN_NOTIFICATION(45),
             MIB_SCALARS, COMMON, ALARM, NODE, &OWN_NODE_LID, PEER, STORY);
NOTIFICATION(MIB_OWN_THRESHOLD_REACHED, "ibtrapdThresholdReached", OWN_NOTIFICATION(60),
             MIB_SCALARS, COMMON, ALARM, NODE, &OWN_PORT, &OWN_COUNTER, &OWN_COUNTER_OLD,
             &OWN_COUNTER_NEW);
NOTIFICATION(MIB_OWN_THRESHOLD_CLEARED, "ibtrapdThresholdCleared", OWN_NOTIFICATION(61),
             MIB_SCALARS, COMMON, ALARM, NODE, &OWN_PORT, &OWN_COUNTER, &OWN_COUNTER_OLD,
             &OWN_COUNTER_NEW);
NOTIFICATION(MIB_OWN_SM_UNREACHABLE, "ibtrapdSmUnreachable", OWN_NOTIFICATION(84), MIB_SCALARS,
             COMMON, ALARM, &OWN_NODE_LID, &OWN_SM_GUID, &OWN_REASON);
NOTIFICATION(MIB_OWN_SM_BACK, "ibtrapdSmBack", OWN_NOTIFICATION(85), MIB_SCALARS, COMMON, ALARM,
             &OWN_NODE_LID, &OWN_SM_GUID, &OWN_REASON);
NOTIFICATION(MIB_OWN_STORM_SUMMARY, "ibtrapdStormSummary", OWN_NOTIFICATION(89), MIB_SCALARS,
             COMMON, &OWN_STORM_EVENT, &OWN_STORM_COUNT, &OWN_STORM_SINCE);
NOTIFICATION(MIB_OWN_HEARTBEAT, "ibtrapdHeartbeat", OWN_NOTIFICATION(90), MIB_SCALARS, COMMON);
NOTIFICATION(MIB_OWN_EVENT_REPEATED, "ibtrapdEventRepeated", OWN_NOTIFICATION(93), MIB_SCALARS,
             COMMON, &OWN_STORM_EVENT, &OWN_STORM_COUNT, &OWN_STORM_SINCE);
NOTIFICATION(MIB_OWN_FLAPPING, "ibtrapdFlapping", OWN_NOTIFICATION(94), MIB_SCALARS, COMMON, ALARM,
             NODE, &OWN_PORT, PEER, &OWN_REPEATS, &OWN_REASON);
NOTIFICATION(MIB_OWN_SETTLED, "ibtrapdSettled", OWN_NOTIFICATION(95), MIB_SCALARS, COMMON, ALARM,
             NODE, &OWN_PORT, PEER, &OWN_REPEATS, &OWN_REASON);
NOTIFICATION(MIB_OWN_SETTING_CHANGED, "ibtrapdSettingChanged", OWN_NOTIFICATION(96), MIB_SCALARS,
             COMMON, NODE, &OWN_REASON);

// Encoding.

// GswGlobalId: the GUID, seven zero octets, and the GswType value of an InfiniBand switch; all of
// it zero where there is none.
static void put_global_id(uint8_t out[MIB_GLOBAL_ID_SIZE], uint64_t guid)
{
    memset(out, 0, MIB_GLOBAL_ID_SIZE);
    wire_put(out, 8, guid);
    out[MIB_GLOBAL_ID_SIZE - 1] = guid != 0 ? 2 : 0;
}

void mib_put_date(uint8_t out[MIB_DATE_SIZE], int64_t utc_us)
{
    time_t s = (time_t)(utc_us / CLOCK_US_PER_S);
    struct tm tm;
    gmtime_r(&s, &tm);
    wire_put(out, 2, (uint64_t)tm.tm_year + 1900);
    const int rest[] = {tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                        tm.tm_min,     tm.tm_sec,  (int)(utc_us % CLOCK_US_PER_S / 100000),
                        '+',           0,          0};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        out[2 + i] = (uint8_t)rest[i];
}

// SNMP numbers BITS from the most significant bit of the first octet (RFC 2578 7.1.4).
static void put_bits(struct mib_varbind *out, uint64_t bits, size_t octets)
{
    memset(out->octets, 0, octets);
    for (size_t i = 0; i < octets * 8; i++) {
        if (bits >> i & 1)
            out->octets[i / 8] |= (uint8_t)(0x80 >> i % 8);
    }
    out->size = octets;
}

static void put_octets(struct mib_varbind *out, const struct field_value *value, size_t size)
{
    if (value->is_number) {
        wire_put(out->octets, size, value->number);
        out->size = size;
        return;
    }
    out->size = value->size < MIB_VALUE_MAX ? value->size : MIB_VALUE_MAX;
    memcpy(out->octets, value->octets, out->size);
}

static void mib_put_digits(struct mib_varbind *out, uint64_t number)
{
    struct text t = text_in((char *)out->octets, MIB_VALUE_MAX);
    text_add_number(&t, number);
    out->size = t.len;
}

static void put_date_text(struct mib_varbind *out, int64_t utc_us)
{
    clock_format_utc(utc_us, (char *)out->octets);
    out->size = strlen((const char *)out->octets);
}

// Of a text that ends with a NUL.
static void put_ascii(struct mib_varbind *out, const struct field_value *value)
{
    enum { DISPLAY_STRING_MAX = 255 };
    text_ascii((const char *)value->octets, (char *)out->octets, DISPLAY_STRING_MAX + 1);
    out->size = strlen((const char *)out->octets);
}

static void put_instance(struct mib_varbind *out, enum mib_index index, const struct event *event)
{
    if (index == MIB_SCALARS) {
        out->oid[out->oid_length++] = 0;
        return;
    }
    uint8_t id[MIB_GLOBAL_ID_SIZE];
    put_global_id(id, event->switch_guid);
    for (size_t i = 0; i < sizeof id; i++)
        out->oid[out->oid_length++] = id[i];
    if (index == MIB_BY_SWITCH_PORT)
        out->oid[out->oid_length++] = event->notice.port;
    if (index == MIB_BY_SWITCH_EVENT)
        out->oid[out->oid_length++] = event_index(event);
    if (index == MIB_BY_SWITCH_LINK)
        out->oid[out->oid_length++] = (uint32_t)field_get(event, FIELD_SWITCH_PORT).number;
}

void mib_encode_field(enum mib_syntax syntax, uint16_t size, enum field source,
                      const struct event *event, struct mib_varbind *out)
{
    struct field_value value = field_get(event, source);
    out->syntax = MIB_OCTETS;
    switch (syntax) {
    case MIB_INTEGER32:
    case MIB_UNSIGNED32:
        assert(value.is_number);
        out->syntax = syntax;
        out->number = value.number < UINT32_MAX ? (uint32_t)value.number : UINT32_MAX;
        break;
    case MIB_OCTETS:
        put_octets(out, &value, size);
        break;
    case MIB_BITS:
        put_bits(out, value.number, size);
        break;
    case MIB_DATE_AND_TIME:
        mib_put_date(out->octets, (int64_t)value.number);
        out->size = MIB_DATE_SIZE;
        break;
    case MIB_TRUTH:
        out->syntax = MIB_INTEGER32;
        out->number = value.number ? 1 : 2;
        break;
    case MIB_DIGITS:
        mib_put_digits(out, value.number);
        break;
    case MIB_DATE_TEXT:
        put_date_text(out, (int64_t)value.number);
        break;
    case MIB_ASCII:
        put_ascii(out, &value);
        break;
    case MIB_GLOBAL_ID:
        put_global_id(out->octets, value.number);
        out->size = MIB_GLOBAL_ID_SIZE;
        break;
    }
}

void mib_encode(const struct mib_notification *notification, const struct mib_object *object,
                const struct event *event, struct mib_varbind *out)
{
    memcpy(out->oid, object->oid.ids, object->oid.length * sizeof *out->oid);
    out->oid_length = object->oid.length;
    put_instance(out, notification->index, event);
    mib_encode_field(object->syntax, object->size, object->source, event, out);
}

static char *mib_put_number(char *p, uint32_t number)
{
    char digits[10];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(p, digits + first, sizeof digits - first);
    return p + sizeof digits - first;
}

// In one go: a notification has hundreds of sub-identifiers.
void mib_add_oid(struct text *t, const uint32_t *ids, size_t count)
{
    enum { IDS_MAX = MIB_OID_MAX + MIB_INSTANCE_MAX, DOT_AND_DIGITS = 11 };
    char all[IDS_MAX * DOT_AND_DIGITS], *p = all;
    assert(count <= IDS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *p++ = '.';
        p = mib_put_number(p, ids[i]);
    }
    text_add_n(t, all, (size_t)(p - all));
}
