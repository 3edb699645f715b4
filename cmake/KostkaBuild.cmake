# SPDX-License-Identifier: BSD-2-Clause
# Sets how every target of the project is built, and which files belong to which processor.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Hundreds of test programs hold the library, with all that sanitizers add, which this linker copies in half the time.
if(KOSTKA_TESTS OR KOSTKA_SANITIZE)
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=gold KOSTKA_GOLD)
endif()
if(KOSTKA_SANITIZE)
    set(runtimes ${KOSTKA_SANITIZE})
    set(undefined -fno-sanitize-recover=undefined)
    if(KOSTKA_SANITIZE_TRAPS)
        # A trap needs neither data about its place nor a runtime: files compile in less time, and AddressSanitizer, whose
        # report of SIGILL names the line, has less memory to search for leaks.
        string(REPLACE ",undefined" "" runtimes "${runtimes}")
        set(undefined -fsanitize-trap=undefined)
        if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # its name in versions before 13, which later ones take, too
            set(undefined -fsanitize-undefined-trap-on-error)
        endif()
    endif()
    add_compile_options(-fsanitize=${KOSTKA_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${runtimes})
    if(KOSTKA_GOLD)
        add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=gold>)
    endif()
    if(KOSTKA_SANITIZE MATCHES "undefined")
        add_compile_options(${undefined})
    endif()
endif()
if(KOSTKA_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

function(kostka_compile_options target)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wconversion -Wshadow -Wvla -Wstrict-prototypes -ffp-contract=off $<$<BOOL:${KOSTKA_WERROR}>:-Werror>)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(KOSTKA_ARCHITECTURE x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(KOSTKA_ARCHITECTURE aarch64)
else()
    set(KOSTKA_ARCHITECTURE other)
endif()

set(KOSTKA_FLAGS_sse2 "")
set(KOSTKA_FLAGS_avx2 -mavx2 -mbmi -mbmi2 -mlzcnt)
set(KOSTKA_FLAGS_avx512 ${KOSTKA_FLAGS_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi -mavx512vnni)
set(KOSTKA_FLAGS_neon "")

# kostka_sources_of(TARGET FILES…) adds files to a library's objects. The suffix of a name says which instructions it may use;
# files for another processor are left out.
function(kostka_sources_of target)
    foreach(file IN LISTS ARGN)
        if(file MATCHES "_(sse2|avx2|avx512|neon)\\.c$")
            set(tier ${CMAKE_MATCH_1})
            if(tier STREQUAL "neon")
                set(wanted aarch64)
            else()
                set(wanted x86_64)
            endif()
            if(NOT KOSTKA_ARCHITECTURE STREQUAL wanted)
                continue()
            endif()
            if(KOSTKA_FLAGS_${tier})
                set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/${file}" TARGET_DIRECTORY ${target}
                    PROPERTIES COMPILE_OPTIONS "${KOSTKA_FLAGS_${tier}}")
            endif()
        endif()
        target_sources(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    endforeach()
endfunction()

# kostka_sources(FILES…) adds files to libkostka.
function(kostka_sources)
    kostka_sources_of(kostka_objects ${ARGN})
endfunction()
