# SPDX-License-Identifier: BSD-2-Clause
# Embeds kernels, which are written once, in two forms: always as OpenCL source, and as a fat binary if nvcc is
# installed.

find_program(KOSTKA_NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_HOME PATH_SUFFIXES bin)
# A GPU also runs the code of a lower capability with the same first digits: 8.7 and 8.9 that of 8.6, 10.3 that of 10.0, 12.1 that
# of 12.0. See src/kernels/README.md.
set(KOSTKA_CUDA_ARCHITECTURES 75 80 86 90 100 120 CACHE STRING
    "Compute capabilities that kernels are compiled for, where nvcc is there; PTX for the last; none: no CUDA")
set(KOSTKA_NVCC_FLAGS "" CACHE STRING "Further options for nvcc, such as -compress-mode=size")

function(kostka_fat_binary module text binary)
    set(code)
    foreach(architecture IN LISTS KOSTKA_CUDA_ARCHITECTURES)
        list(APPEND code -gencode arch=compute_${architecture},code=sm_${architecture})
        set(last ${architecture})
    endforeach()
    list(APPEND code -gencode arch=compute_${last},code=compute_${last})
    add_custom_command(OUTPUT "${binary}"
        COMMAND "${KOSTKA_NVCC}" -x cu --fatbin -O3 --fmad=false -std=c++17 --threads 0 ${KOSTKA_NVCC_FLAGS} ${code} -o "${binary}" "${text}"
        DEPENDS "${text}" COMMENT "Compiling kernels ${module} for CUDA" VERBATIM)
endfunction()

# kostka_kernels(TARGET MODULE FILE [REGISTERS]) adds `const struct gpu_kernels kst_kernels_MODULE` to the target.
# REGISTERS limits the registers of a work-item of its SLIM_KERNELs, if the OpenCL driver supports that.
function(kostka_kernels target module file)
    get_filename_component(file "${file}" ABSOLUTE)
    set(folder "${CMAKE_BINARY_DIR}/kernels")
    set(text "${folder}/${module}.cl")
    set(binary "${folder}/none")
    file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/kernels/*.h" "${PROJECT_SOURCE_DIR}/src/*/kernels/*.h"
        "${PROJECT_SOURCE_DIR}/src/*/tables/*.h")
    add_custom_command(OUTPUT "${text}"
        COMMAND "${CMAKE_COMMAND}" -D "FILE=${file}" -D "FOLDER=${PROJECT_SOURCE_DIR}/src" -D "OUTPUT=${text}"
            -P "${PROJECT_SOURCE_DIR}/cmake/amalgamate.cmake"
        DEPENDS "${file}" ${headers} "${PROJECT_SOURCE_DIR}/cmake/amalgamate.cmake"
        COMMENT "Amalgamating kernels ${module}" VERBATIM)
    if(NOT KOSTKA_NVCC OR NOT KOSTKA_CUDA_ARCHITECTURES)
        if(NOT EXISTS "${binary}")
            file(WRITE "${binary}" "")
        endif()
    else()
        set(binary "${folder}/${module}.fatbin")
        kostka_fat_binary(${module} "${text}" "${binary}")
    endif()
    set(MODULE ${module})
    set(given 0 ${ARGN})
    list(GET given -1 REGISTERS)
    set(TEXT "${text}")
    set(BINARY "${binary}")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/kernels.c.in" "${folder}/${module}.c" @ONLY)
    set_source_files_properties("${folder}/${module}.c" TARGET_DIRECTORY ${target}
        PROPERTIES GENERATED TRUE OBJECT_DEPENDS "${text};${binary}")
    target_sources(${target} PRIVATE "${folder}/${module}.c")
endfunction()
