/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the marker codes of JPEG 2000: the second byte of each (T.800 Table A.2, T.801 Annex A, T.814 A.6). */
#ifndef KOSTKA_J2K_SYNTAX_MARKER_H
#define KOSTKA_J2K_SYNTAX_MARKER_H

enum j2k_marker {
    J2K_ALONE_FIRST = 0x30, /* markers from this one to the next have no length (Table A.1) */
    J2K_ALONE_LAST = 0x3F,
    J2K_SOC = 0x4F,
    J2K_CAP = 0x50,
    J2K_SIZ = 0x51,
    J2K_COD = 0x52,
    J2K_COC = 0x53,
    J2K_TLM = 0x55,
    J2K_PRF = 0x56,
    J2K_PLM = 0x57,
    J2K_PLT = 0x58,
    J2K_CPF = 0x59,
    J2K_QCD = 0x5C,
    J2K_QCC = 0x5D,
    J2K_RGN = 0x5E,
    J2K_POC = 0x5F,
    J2K_PPM = 0x60,
    J2K_PPT = 0x61,
    J2K_CRG = 0x63,
    J2K_COM = 0x64,
    J2K_DCO = 0x70, /* from here to ATK: T.801 Annex A */
    J2K_VMS = 0x71,
    J2K_DFS = 0x72,
    J2K_ADS = 0x73,
    J2K_MCT = 0x74,
    J2K_MCC = 0x75,
    J2K_NLT = 0x76,
    J2K_MCO = 0x77,
    J2K_CBD = 0x78,
    J2K_ATK = 0x79,
    J2K_SOT = 0x90,
    J2K_SOP = 0x91,
    J2K_EPH = 0x92,
    J2K_SOD = 0x93,
    J2K_EOC = 0xD9
};

#endif
