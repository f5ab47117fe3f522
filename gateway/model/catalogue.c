#include "model/catalogue.h"

#include "mib_modules.h"
#include "model/notice.h"

#include <assert.h>
#include <string.h>

#define RAW_HINT "the raw notice has the details"

#define BAD_KEY_FIELDS FIELD_LID, FIELD_GID1, FIELD_QP1, FIELD_LID2, FIELD_GID2, FIELD_QP2, FIELD_SL

static const struct catalogue_entry ENTRIES[CATALOGUE_COUNT] = {
    [CATALOGUE_GID_IN_SERVICE] =
        {
            .name = "gid-in-service",
            .trap = NOTICE_GID_IN_SERVICE,
            .title = "Port came into service",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_GID1,
            .text = "{subject} came into service with GID {gid1}.",
            .fields = {FIELD_GID1},
            .own = &mib_ibtrapdGidInService,
        },
    [CATALOGUE_GID_OUT_OF_SERVICE] =
        {
            .name = "gid-out-of-service",
            .trap = NOTICE_GID_OUT_OF_SERVICE,
            .title = "Port went out of service",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_GID1,
            .text =
                "{subject} with GID {gid1} went out of service: the subnet manager can no longer "
                "reach it[; it hung on {peerEnd}].",
            .fields = {FIELD_GID1},
            .own = &mib_ibtrapdGidOutOfService,
        },
    [CATALOGUE_MCAST_GROUP_CREATED] =
        {
            .name = "mcast-group-created",
            .trap = NOTICE_MCAST_GROUP_CREATED,
            .title = "Multicast group created",
            .category = CATEGORY_MULTICAST,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The multicast group {gid1} was created.",
            .fields = {FIELD_GID1},
            .own = &mib_ibtrapdMcastGroupCreated,
        },
    [CATALOGUE_MCAST_GROUP_DELETED] =
        {
            .name = "mcast-group-deleted",
            .trap = NOTICE_MCAST_GROUP_DELETED,
            .title = "Multicast group deleted",
            .category = CATEGORY_MULTICAST,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The multicast group {gid1} was deleted.",
            .fields = {FIELD_GID1},
            .own = &mib_ibtrapdMcastGroupDeleted,
        },
    [CATALOGUE_PATH_REMOVED] =
        {
            .name = "path-removed",
            .trap = NOTICE_UNPATH,
            .title = "Paths became unavailable (UnPath)",
            .category = CATEGORY_FABRIC,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The subnet manager withdrew path records (UnPath); " RAW_HINT ".",
            .fields = {FIELD_RAW},
            .own = &mib_ibtrapdUnPath,
        },
    [CATALOGUE_PATH_RESTORED] =
        {
            .name = "path-restored",
            .trap = NOTICE_REPATH,
            .title = "Paths became available again (RePath)",
            .category = CATEGORY_FABRIC,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The subnet manager offers path records again (RePath); " RAW_HINT ".",
            .fields = {FIELD_RAW},
            .own = &mib_ibtrapdRePath,
        },
    [CATALOGUE_LINK_STATE_CHANGE] =
        {
            .name = "link-state-change",
            .trap = NOTICE_LINK_STATE,
            .title = "Link state of a switch port changed",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text = "The link state of at least one port of {subject} changed.",
            .fields = {FIELD_LID},
            .sma = &mib_ibSmaPortLinkStateChange,
        },
    [CATALOGUE_LINK_INTEGRITY_THRESHOLD] =
        {
            .name = "link-integrity-threshold",
            .trap = NOTICE_LINK_INTEGRITY,
            .title = "Local link integrity threshold reached",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text = "Port {port} of {subject}[ to {peerEnd}] reached its threshold of local link "
                    "integrity errors; check the cable and its connectors[ ({derivation})].",
            .fields = {FIELD_LID, FIELD_PORT},
            .sma = &mib_ibSmaLinkIntegrityThresReached,
            .gsw = &mib_gswIBPortTrap,
            .switch_reason = 1,
        },
    [CATALOGUE_BUFFER_OVERRUN_THRESHOLD] =
        {
            .name = "buffer-overrun-threshold",
            .trap = NOTICE_BUFFER_OVERRUN,
            .title = "Excessive buffer overrun threshold reached",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text =
                "Port {port} of {subject}[ to {peerEnd}] reached its threshold of excessive buffer "
                "overruns[ ({derivation})].",
            .fields = {FIELD_LID, FIELD_PORT},
            .sma = &mib_ibSmaExcessBuffOverrunThres,
            .gsw = &mib_gswIBPortTrap,
            .switch_reason = 2,
        },
    [CATALOGUE_FLOW_CONTROL_TIMEOUT] =
        {
            .name = "flow-control-timeout",
            .trap = NOTICE_FLOW_CONTROL,
            .title = "Flow control update watchdog expired",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text = "The flow control update watchdog of port {port} of {subject}[ to {peerEnd}] "
                    "expired.",
            .fields = {FIELD_LID, FIELD_PORT},
            .sma = &mib_ibSmaFlowCntrlUpdateTimerExpire,
            .gsw = &mib_gswIBPortTrap,
            .switch_reason = 3,
        },
    [CATALOGUE_CAPABILITY_CHANGE] =
        {
            .name = "capability-change",
            .trap = NOTICE_CAPABILITY,
            .title = "Capabilities or local settings changed",
            .category = CATEGORY_PORT,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text = "{subject} reports a change of its {changes}; its capability mask is "
                    "{capabilityMask}.",
            .fields = {FIELD_LID, FIELD_CAPABILITY_MASK, FIELD_LOCAL_CHANGES, FIELD_CHANGE_FLAGS,
                       FIELD_CAPABILITY_MASK2},
            .sma = &mib_ibSmaCapabilityMaskModified,
        },
    [CATALOGUE_SYSTEM_IMAGE_GUID_CHANGE] =
        {
            .name = "system-image-guid-change",
            .trap = NOTICE_SYSTEM_IMAGE_GUID,
            .title = "System image GUID changed",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text = "{subject} changed its system image GUID to {systemImageGuid}.",
            .fields = {FIELD_LID, FIELD_SYSTEM_IMAGE_GUID},
            .sma = &mib_ibSmaSysImageGuidModified,
        },
    [CATALOGUE_BAD_MKEY] =
        {
            .name = "bad-mkey",
            .trap = NOTICE_BAD_MKEY,
            .title = "Management packet with a wrong M_Key",
            .category = CATEGORY_SECURITY,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text = "{issuer} refused {request} from {subject}, which had the wrong M_Key {mkey}.",
            .fields = {FIELD_LID, FIELD_MKEY, FIELD_METHOD, FIELD_ATTRIBUTE,
                       FIELD_ATTRIBUTE_MODIFIER, FIELD_DR_SLID, FIELD_DR_PATH, FIELD_DR_TRUNCATED},
            .sma = &mib_ibSmaBadManagementKey,
            .gsw = &mib_gswIBSwitchTrap,
            .switch_reason = 2,
        },
    [CATALOGUE_BAD_PKEY] =
        {
            .name = "bad-pkey",
            .trap = NOTICE_BAD_PKEY,
            .title = "Packet with a wrong P_Key",
            .category = CATEGORY_SECURITY,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text =
                "{source} QP {qp1} sent a packet with the wrong P_Key {pkey} to {destination} QP "
                "{qp2} on SL {sl}.",
            .fields = {FIELD_PKEY, BAD_KEY_FIELDS},
            .sma = &mib_ibSmaBadPartitionKey,
        },
    [CATALOGUE_BAD_QKEY] =
        {
            .name = "bad-qkey",
            .trap = NOTICE_BAD_QKEY,
            .title = "Packet with a wrong Q_Key",
            .category = CATEGORY_SECURITY,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_LID,
            .text =
                "{source} QP {qp1} sent a packet with the wrong Q_Key {qkey} to {destination} QP "
                "{qp2} on SL {sl}.",
            .fields = {FIELD_QKEY, BAD_KEY_FIELDS},
            .sma = &mib_ibSmaBadQueueKey,
        },
    [CATALOGUE_BAD_PKEY_AT_SWITCH] =
        {
            .name = "bad-pkey-at-switch",
            .trap = NOTICE_BAD_PKEY_AT_SWITCH,
            .title = "Packet with a wrong P_Key at a switch port",
            .category = CATEGORY_SECURITY,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_SWITCH,
            .text = "Port {port} of {subject}[, connected to {peerEnd},] saw a packet with the "
                    "wrong "
                    "P_Key {pkey} from {source} to {destination} (known of it: {valid}).",
            .fields = {FIELD_PKEY, BAD_KEY_FIELDS, FIELD_SWITCH_LID, FIELD_PORT, FIELD_DATA_VALID},
            .sma = &mib_ibSmaBadPKeyAtSwitchPort,
            .gsw = &mib_gswIBPortTrap,
            .switch_reason = 4,
        },
    [CATALOGUE_VENDOR_TRAP] =
        {
            .name = "vendor-trap",
            .title = "Vendor-specific trap",
            .category = CATEGORY_VENDOR,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_ISSUER,
            .text = "{issuer} raised a trap of vendor {vendorId}, device {deviceId}; " RAW_HINT ".",
            .fields = {FIELD_VENDOR_ID, FIELD_DEVICE_ID, FIELD_RAW},
            .own = &mib_ibtrapdVendorTrap,
        },
    [CATALOGUE_UNKNOWN_TRAP] =
        {
            .name = "unknown-trap",
            .title = "Trap that ibtrapd does not know",
            .category = CATEGORY_FABRIC,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_ISSUER,
            .text = "{issuer} raised trap {trap}, which ibtrapd does not know; " RAW_HINT ".",
            .fields = {FIELD_TRAP, FIELD_RAW},
            .own = &mib_ibtrapdUnknownTrap,
        },
    [CATALOGUE_MALFORMED_MAD] =
        {
            .name = "malformed-mad",
            .title = "Malformed management datagram",
            .category = CATEGORY_FABRIC,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_ISSUER,
            .text = "{issuer} sent a malformed management datagram: {reason}.",
            .fields = {FIELD_REASON, FIELD_RAW},
            .own = &mib_ibtrapdMalformedMad,
        },
    [CATALOGUE_GATEWAY_STARTED] =
        {
            .name = "gateway-started",
            .title = "The gateway started",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "ibtrapd started: {reason}.",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdGatewayStarted,
        },
    [CATALOGUE_GATEWAY_STOPPED] =
        {
            .name = "gateway-stopped",
            .title = "The gateway stopped",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "ibtrapd stopped: {reason}.",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdGatewayStopped,
        },
    [CATALOGUE_SUBSCRIPTION_LOST] =
        {
            .name = "subscription-lost",
            .title = "Traps may be missed: the subscriptions are gone",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_ERROR,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The subscriptions to the fabric's traps were lost, and traps may be missed "
                    "until "
                    "they are back: {reason}.",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdSubscriptionLost,
        },
    [CATALOGUE_SUBSCRIPTION_RESTORED] =
        {
            .name = "subscription-restored",
            .title = "The subscriptions are back",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The subscriptions to the fabric's traps are back: {reason}.",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdSubscriptionRestored,
        },
    [CATALOGUE_RECEIVER_FAILING] =
        {
            .name = "receiver-failing",
            .title = "A receiver cannot be reached",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_ERROR,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The receiver {receiver} does not take events, which wait for it in the "
                    "journal: "
                    "{reason}.",
            .fields = {FIELD_RECEIVER, FIELD_LOST, FIELD_REASON},
            .own = &mib_ibtrapdReceiverFailing,
        },
    [CATALOGUE_RECEIVER_BACK] =
        {
            .name = "receiver-back",
            .title = "A receiver can be reached again",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The receiver {receiver} is back: {reason}.",
            .fields = {FIELD_RECEIVER, FIELD_LOST, FIELD_REASON},
            .own = &mib_ibtrapdReceiverBack,
        },
    [CATALOGUE_JOURNAL_DROPPING] =
        {
            .name = "journal-dropping",
            .title = "The journal let go of events that a receiver had not got",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_ERROR,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "{lost} events were lost: {reason}.",
            .fields = {FIELD_LOST, FIELD_REASON},
            .own = &mib_ibtrapdJournalDropping,
        },
    [CATALOGUE_JOURNAL_DEGRADED] =
        {
            .name = "journal-degraded",
            .title = "The journal does not work, events are in memory only",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_ERROR,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The journal does not work, and events are kept in memory only: {reason}.",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdJournalDegraded,
        },
    [CATALOGUE_JOURNAL_HEALED] =
        {
            .name = "journal-healed",
            .title = "The journal works again",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The journal works again, and what was in memory is on disk: {reason}.",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdJournalHealed,
        },
    [CATALOGUE_SWITCH_ADDED] =
        {
            .name = "switch-added",
            .title = "Switch joined the fabric",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Switch {subject} joined the fabric[ {late}][; {reason}].",
            .fields = {FIELD_AFFECTED, FIELD_REASON},
            .gsw = &mib_gswTopoComTrap,
            .switch_reason = 2,
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 3,
            .own = &mib_ibtrapdSwitchAdded,
        },
    [CATALOGUE_SWITCH_REMOVED] =
        {
            .name = "switch-removed",
            .title = "Switch left the fabric",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_ERROR,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Switch {subject} left the fabric[ {late}][; {reason}].",
            .fields = {FIELD_AFFECTED, FIELD_REASON},
            .gsw = &mib_gswTopoComTrap,
            .switch_reason = 3,
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 3,
            .own = &mib_ibtrapdSwitchRemoved,
        },
    [CATALOGUE_SWITCH_MOVED] =
        {
            .name = "switch-moved",
            .title = "Switch is cabled to another place",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Switch {subject} was moved[ {late}]: it is cabled to {peerEnd} now[, before "
                    "to {reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdSwitchMoved,
        },
    [CATALOGUE_HOST_ADDED] =
        {
            .name = "host-added",
            .title = "Host joined the fabric",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Host {subject} joined the fabric[ {late}][; it hangs on {peerEnd}][; "
                    "{reason}].",
            .fields = {FIELD_AFFECTED, FIELD_REASON},
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 4,
            .own = &mib_ibtrapdHostAdded,
        },
    [CATALOGUE_HOST_REMOVED] =
        {
            .name = "host-removed",
            .title = "Host left the fabric",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Host {subject} left the fabric[ {late}][; it hung on {peerEnd}][; {reason}].",
            .fields = {FIELD_AFFECTED, FIELD_REASON},
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 4,
            .own = &mib_ibtrapdHostRemoved,
        },
    [CATALOGUE_HOST_MOVED] =
        {
            .name = "host-moved",
            .title = "Host hangs on another switch port",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Host {subject} was moved[ {late}]: it hangs on {peerEnd} now[, before on "
                    "{reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdHostMoved,
        },
    [CATALOGUE_ROUTER_ADDED] =
        {
            .name = "router-added",
            .title = "Router joined the fabric",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Router {subject} joined the fabric[ {late}][; it hangs on {peerEnd}][; "
                    "{reason}].",
            .fields = {FIELD_AFFECTED, FIELD_REASON},
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 3,
            .own = &mib_ibtrapdRouterAdded,
        },
    [CATALOGUE_ROUTER_REMOVED] =
        {
            .name = "router-removed",
            .title = "Router left the fabric",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_ERROR,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Router {subject} left the fabric[ {late}][; it hung on {peerEnd}][; "
                    "{reason}].",
            .fields = {FIELD_AFFECTED, FIELD_REASON},
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 3,
            .own = &mib_ibtrapdRouterRemoved,
        },
    [CATALOGUE_ROUTER_MOVED] =
        {
            .name = "router-moved",
            .title = "Router hangs on another switch port",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "Router {subject} was moved[ {late}]: it hangs on {peerEnd} now[, before on "
                    "{reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdRouterMoved,
        },
    [CATALOGUE_PORT_ADDED] =
        {
            .name = "port-added",
            .title = "Further port of a node joined the fabric",
            .category = CATEGORY_PORT,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} joined the fabric[ {late}][; it hangs on {peerEnd}].",
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 2,
            .own = &mib_ibtrapdPortAdded,
        },
    [CATALOGUE_PORT_REMOVED] =
        {
            .name = "port-removed",
            .title = "Port of a node left the fabric",
            .category = CATEGORY_PORT,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} left the fabric[ {late}][; it hung on {peerEnd}].",
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 2,
            .own = &mib_ibtrapdPortRemoved,
        },
    [CATALOGUE_PORT_MOVED] =
        {
            .name = "port-moved",
            .title = "Port of a node hangs on another switch port",
            .category = CATEGORY_PORT,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} was moved[ {late}]: it hangs on {peerEnd} now[, before on "
                    "{reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdPortMoved,
        },
    [CATALOGUE_LINK_UP] =
        {
            .name = "link-up",
            .title = "Link came up",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} to {peerEnd} came up[ {late}].",
            .gsw = &mib_gswTopoComTrap,
            .switch_reason = 4,
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 2,
            .between_switches = true,
            .own = &mib_ibtrapdLinkAdded,
        },
    [CATALOGUE_LINK_DOWN] =
        {
            .name = "link-down",
            .title = "Link went down",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} to {peerEnd} went down[ {late}].",
            .gsw = &mib_gswTopoComTrap,
            .switch_reason = 5,
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 2,
            .between_switches = true,
            .own = &mib_ibtrapdLinkRemoved,
        },
    [CATALOGUE_LINK_MOVED] =
        {
            .name = "link-moved",
            .title = "Port is connected to another port",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} was recabled[ {late}]: it is connected to {peerEnd} now[, "
                    "before to {reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdLinkMoved,
        },
    [CATALOGUE_LINK_DEGRADED] =
        {
            .name = "link-degraded",
            .title = "Link runs below what both ends can",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} to {peerEnd} degraded[ {late}]; it runs below what both ends "
                    "can[: {reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdLinkDegraded,
        },
    [CATALOGUE_LINK_RESTORED] =
        {
            .name = "link-restored",
            .title = "Link runs at its full rate again",
            .category = CATEGORY_LINK,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} to {peerEnd} recovered[ {late}]; it runs at full width and "
                    "speed again[: {reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdLinkRestored,
        },
    [CATALOGUE_NODE_RENAMED] =
        {
            .name = "node-renamed",
            .title = "Node has a new name",
            .category = CATEGORY_NODE,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subject} got a new name[ {late}][; the old one was {reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdNodeRenamed,
        },
    [CATALOGUE_LID_CHANGED] =
        {
            .name = "lid-changed",
            .title = "Port has a new LID",
            .category = CATEGORY_PORT,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subjectEnd} got a new LID[ {late}][; the old one was {reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdLidChanged,
        },
    [CATALOGUE_SM_APPEARED] =
        {
            .name = "sm-appeared",
            .title = "Subnet manager appeared",
            .category = CATEGORY_SM,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "A subnet manager appeared on {subject}[ {late}][: {reason}].",
            .fields = {FIELD_SM_GUID, FIELD_REASON},
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 5,
            .own = &mib_ibtrapdSmAppeared,
        },
    [CATALOGUE_SM_VANISHED] =
        {
            .name = "sm-vanished",
            .title = "Subnet manager vanished",
            .category = CATEGORY_SM,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "The subnet manager on {subject} vanished[ {late}][: {reason}].",
            .fields = {FIELD_SM_GUID, FIELD_REASON},
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 5,
            .own = &mib_ibtrapdSmVanished,
        },
    [CATALOGUE_SM_FAILED_OVER] =
        {
            .name = "sm-failed-over",
            .title = "Another subnet manager is master",
            .category = CATEGORY_SM,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "The subnet manager on {subject} became master[ {late}][; before it was the "
                    "one on {peer}][: {reason}].",
            .fields = {FIELD_SM_GUID, FIELD_REASON},
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 6,
            .own = &mib_ibtrapdSmFailedOver,
        },
    [CATALOGUE_SM_UNREACHABLE] =
        {
            .name = "sm-unreachable",
            .title = "The master subnet manager does not answer",
            .category = CATEGORY_SM,
            .severity = SEVERITY_ERROR,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "The master subnet manager[ on {subject}] does not answer[: {reason}].",
            .fields = {FIELD_SM_GUID, FIELD_REASON},
            .own = &mib_ibtrapdSmUnreachable,
        },
    [CATALOGUE_SM_BACK] =
        {
            .name = "sm-back",
            .title = "A master subnet manager answers again",
            .category = CATEGORY_SM,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "The master subnet manager[ on {subject}] answers again[: {reason}].",
            .fields = {FIELD_SM_GUID, FIELD_REASON},
            .own = &mib_ibtrapdSmBack,
        },
    [CATALOGUE_IO_UNIT_ADDED] =
        {
            .name = "io-unit-added",
            .title = "I/O unit appeared",
            .category = CATEGORY_IO,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{subject} offers an I/O unit now[; it came {late}].",
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 8,
            .own = &mib_ibtrapdIoUnitAdded,
        },
    [CATALOGUE_IO_UNIT_REMOVED] =
        {
            .name = "io-unit-removed",
            .title = "I/O unit is gone",
            .category = CATEGORY_IO,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "The I/O unit of {subject} is gone[; it went {late}].",
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 8,
            .own = &mib_ibtrapdIoUnitRemoved,
        },
    [CATALOGUE_IO_CONTROLLER_ADDED] =
        {
            .name = "io-controller-added",
            .title = "I/O controller appeared",
            .category = CATEGORY_IO,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "An I/O controller appeared in slot {peerPort} of {subject}[ {late}][: "
                    "{peerName}].",
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 7,
            .own = &mib_ibtrapdIoControllerAdded,
        },
    [CATALOGUE_IO_CONTROLLER_REMOVED] =
        {
            .name = "io-controller-removed",
            .title = "I/O controller is gone",
            .category = CATEGORY_IO,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "The I/O controller in slot {peerPort} of {subject} went away[ {late}][: "
                    "{peerName}].",
            .topo = &mib_gswIBTopoTrap,
            .topo_reason = 7,
            .own = &mib_ibtrapdIoControllerRemoved,
        },
    [CATALOGUE_THRESHOLD_REACHED] =
        {
            .name = "threshold-reached",
            .title = "Port counter grows too fast",
            .category = CATEGORY_COUNTER,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{counter} of {subjectEnd}[ to {peerEnd}] grew by {growth} from one reading "
                    "to the next, to {counterNew}.",
            .fields = {FIELD_COUNTER, FIELD_COUNTER_OLD, FIELD_COUNTER_NEW},
            .own = &mib_ibtrapdThresholdReached,
        },
    [CATALOGUE_THRESHOLD_CLEARED] =
        {
            .name = "threshold-cleared",
            .title = "Port counter no longer grows too fast",
            .category = CATEGORY_COUNTER,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_CHANGE,
            .text = "{counter} of {subjectEnd}[ to {peerEnd}] no longer grows too fast; it is at "
                    "{counterNew}.",
            .fields = {FIELD_COUNTER, FIELD_COUNTER_OLD, FIELD_COUNTER_NEW},
            .own = &mib_ibtrapdThresholdCleared,
        },
    [CATALOGUE_STORM_SUMMARY] =
        {
            .name = "storm-summary",
            .title = "Many events of one kind, summed up",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "{repeatCount} events {summarised} since {since} are only in the "
                    "journal[: {reason}].",
            .fields = {FIELD_SUMMARISED, FIELD_REPEAT_COUNT, FIELD_SINCE, FIELD_REASON},
            .own = &mib_ibtrapdStormSummary,
        },
    [CATALOGUE_EVENT_REPEATED] =
        {
            .name = "event-repeated",
            .title = "The same event again and again",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "The same, {repeatCount} times more since {since}[: {reason}].",
            .fields = {FIELD_SUMMARISED, FIELD_REPEAT_COUNT, FIELD_SINCE, FIELD_REASON},
            .own = &mib_ibtrapdEventRepeated,
        },
    [CATALOGUE_FLAPPING] =
        {
            .name = "flapping",
            .title = "A link or node does not come to rest",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_WARNING,
            .alarm = ALARM_RAISES,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "{subjectEnd}[ to {peerEnd}] does not come to rest[: {reason}]. Until it does, "
                    "its "
                    "changes are only in the journal.",
            .fields = {FIELD_SUMMARISED, FIELD_REPEAT_COUNT, FIELD_SINCE, FIELD_REASON},
            .own = &mib_ibtrapdFlapping,
        },
    [CATALOGUE_SETTLED] =
        {
            .name = "settled",
            .title = "A link or node came to rest",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_CLEARS,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "{subjectEnd}[ to {peerEnd}] came to rest[: {reason}].",
            .fields = {FIELD_SUMMARISED, FIELD_REPEAT_COUNT, FIELD_SINCE, FIELD_REASON},
            .own = &mib_ibtrapdSettled,
        },
    [CATALOGUE_HEARTBEAT] =
        {
            .name = "heartbeat",
            .title = "The gateway is alive",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_INFORMATIONAL,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "ibtrapd is alive[: {reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdHeartbeat,
        },
    [CATALOGUE_SETTING_CHANGED] =
        {
            .name = "setting-changed",
            .title = "A setting of a switch was changed by SNMP",
            .category = CATEGORY_GATEWAY,
            .severity = SEVERITY_NOTICE,
            .alarm = ALARM_NONE,
            .subject = CATALOGUE_ABOUT_NO_NODE,
            .text = "A setting of {subject} was changed by SNMP[: {reason}].",
            .fields = {FIELD_REASON},
            .own = &mib_ibtrapdSettingChanged,
        },
};

const struct catalogue_entry *catalogue_get(enum catalogue_event event)
{
    assert(event >= 0 && event < CATALOGUE_COUNT);
    return &ENTRIES[event];
}

enum catalogue_event catalogue_event_of(const struct catalogue_entry *entry)
{
    return (enum catalogue_event)(entry - ENTRIES);
}

bool catalogue_is_summary(const struct catalogue_entry *entry)
{
    switch (catalogue_event_of(entry)) {
    case CATALOGUE_STORM_SUMMARY:
    case CATALOGUE_EVENT_REPEATED:
    case CATALOGUE_FLAPPING:
    case CATALOGUE_SETTLED:
        return true;
    default:
        return false;
    }
}

bool catalogue_is_own(const struct catalogue_entry *entry)
{
    return entry->category == CATEGORY_GATEWAY && !catalogue_is_summary(entry);
}

const struct catalogue_entry *catalogue_find(const char *name)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        if (strcmp(ENTRIES[i].name, name) == 0)
            return &ENTRIES[i];
    }
    return NULL;
}

const struct catalogue_entry *catalogue_of_notice(const struct notice *notice)
{
    if (!notice->generic)
        return &ENTRIES[CATALOGUE_VENDOR_TRAP];
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        if (notice->trap != 0 && ENTRIES[i].trap == notice->trap)
            return &ENTRIES[i];
    }
    return &ENTRIES[CATALOGUE_UNKNOWN_TRAP];
}
