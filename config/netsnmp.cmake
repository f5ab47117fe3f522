# SPDX-License-Identifier: BSD-2-Clause
# The target PkgConfig::NETSNMP: from netsnmp.pc, or, as older packages of Net-SNMP have none, from net-snmp-config.

pkg_check_modules(NETSNMP IMPORTED_TARGET netsnmp)
if(NOT NETSNMP_FOUND)
    find_program(NET_SNMP_CONFIG net-snmp-config)
    if(NOT NET_SNMP_CONFIG)
        message(FATAL_ERROR "Net-SNMP is missing: there is neither netsnmp.pc nor net-snmp-config. Install Net-SNMP's "
            "files for developers: libsnmp-dev, or net-snmp-devel")
    endif()
    foreach(part base-cflags libs)
        execute_process(COMMAND ${NET_SNMP_CONFIG} --${part} OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE
            RESULT_VARIABLE status)
        if(NOT status EQUAL 0)
            message(FATAL_ERROR "${NET_SNMP_CONFIG} --${part} failed")
        endif()
        separate_arguments(words UNIX_COMMAND "${words}")
        list(APPEND said ${words})
    endforeach()
    # Of what it says, only this is about the library; the rest is how its packager compiled it.
    list(FILTER said INCLUDE REGEX "^-(I/|L/|lnetsnmp$|DNETSNMP_)")
    set(NETSNMP_DEFINITIONS ${said})
    list(FILTER NETSNMP_DEFINITIONS INCLUDE REGEX "^-D")
    set(NETSNMP_INCLUDES ${said})
    list(FILTER NETSNMP_INCLUDES INCLUDE REGEX "^-I")
    list(TRANSFORM NETSNMP_INCLUDES REPLACE "^-I" "")
    list(REMOVE_ITEM NETSNMP_INCLUDES /usr/include)
    set(NETSNMP_LINKING ${said})
    list(FILTER NETSNMP_LINKING INCLUDE REGEX "^-[Ll]")
    add_library(PkgConfig::NETSNMP INTERFACE IMPORTED)
    target_compile_definitions(PkgConfig::NETSNMP INTERFACE ${NETSNMP_DEFINITIONS})
    target_include_directories(PkgConfig::NETSNMP INTERFACE ${NETSNMP_INCLUDES})
    target_link_libraries(PkgConfig::NETSNMP INTERFACE ${NETSNMP_LINKING})
endif()
