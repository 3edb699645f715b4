/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the elements of the plugin. */
#ifndef KOSTKA_GST_ELEMENTS_H
#define KOSTKA_GST_ELEMENTS_H

#include "decoder.h"
#include "encoder.h"

G_BEGIN_DECLS

#define KOSTKA_TYPE_JPEG_DEC (kostka_jpeg_dec_get_type())
G_DECLARE_FINAL_TYPE(KostkaJpegDec, kostka_jpeg_dec, KOSTKA, JPEG_DEC, KostkaDecoder)
#define KOSTKA_TYPE_JPEG_ENC (kostka_jpeg_enc_get_type())
G_DECLARE_FINAL_TYPE(KostkaJpegEnc, kostka_jpeg_enc, KOSTKA, JPEG_ENC, KostkaEncoder)
#define KOSTKA_TYPE_J2K_DEC (kostka_j2k_dec_get_type())
G_DECLARE_FINAL_TYPE(KostkaJ2kDec, kostka_j2k_dec, KOSTKA, J2K_DEC, KostkaDecoder)
#define KOSTKA_TYPE_J2K_ENC (kostka_j2k_enc_get_type())
G_DECLARE_FINAL_TYPE(KostkaJ2kEnc, kostka_j2k_enc, KOSTKA, J2K_ENC, KostkaEncoder)

/* Register the elements with a plugin. */
gboolean kostka_register_elements(GstPlugin *plugin);

G_END_DECLS

#endif
