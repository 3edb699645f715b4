/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads JPEG frames of a camera (V4L2), or of a stream that has one behind the other. */
#ifndef KOSTKA_EXAMPLES_CAMERA_H
#define KOSTKA_EXAMPLES_CAMERA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CAMERA_BUFFERS = 4, CAMERA_FRAME = 32 << 20 /* bytes of a stream's frame, at most */ };

struct camera {
    int device; /* of V4L2; -1: there is a stream */
    struct {
        uint8_t *data;
        size_t length;
    } buffer[CAMERA_BUFFERS];
    unsigned held; /* index of the buffer that the program has; CAMERA_BUFFERS: none */
    FILE *stream;
    uint8_t *frame;
};

/*
 * Open a camera, such as /dev/video0, that is asked for MJPEG of a size, or "-", standard input. On failure prints a
 * message and returns false. Close it in any case.
 */
bool camera_open(struct camera *camera, const char *name, unsigned width, unsigned height);
void camera_close(struct camera *camera);

/* Wait for the next frame, which stays until the next call. Returns false at the end, or after a message. */
bool camera_next(struct camera *camera, const uint8_t **data, size_t *length);

#endif
