/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the markers that the drop-in knows (T.800 Table A.2). */
#ifndef KOSTKA_COMPAT_MARKERS_H
#define KOSTKA_COMPAT_MARKERS_H

enum {
    MARKER_ALONE = 0xFF30, /* this and the next 15 have no length */
    MARKER_SOC = 0xFF4F,
    MARKER_SIZ = 0xFF51,
    MARKER_COD = 0xFF52,
    MARKER_COC = 0xFF53,
    MARKER_TLM = 0xFF55,
    MARKER_PLM = 0xFF57,
    MARKER_QCD = 0xFF5C,
    MARKER_QCC = 0xFF5D,
    MARKER_RGN = 0xFF5E,
    MARKER_PPM = 0xFF60,
    MARKER_COM = 0xFF64,
    MARKER_SOT = 0xFF90,
    MARKER_SOD = 0xFF93,
    MARKER_EOC = 0xFFD9
};

static inline int openjp2_marker_is_alone(unsigned marker)
{
    return marker >= MARKER_ALONE && marker < MARKER_ALONE + 16;
}

#endif
