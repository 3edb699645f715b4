/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads JPEG frames of a camera (V4L2), or of a stream that has one behind the other. */
#include "camera.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include "mjpeg.h"

static bool ask(const struct camera *camera, unsigned long request, void *argument, const char *what)
{
    int made;
    do
        made = ioctl(camera->device, request, argument);
    while (made < 0 && errno == EINTR);
    if (made < 0)
        fprintf(stderr, "camera: %s: %s\n", what, strerror(errno));
    return made >= 0;
}

static bool queue(const struct camera *camera, unsigned index)
{
    struct v4l2_buffer buffer = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    return ask(camera, VIDIOC_QBUF, &buffer, "a buffer is refused");
}

static bool map_buffer(struct camera *camera, unsigned index)
{
    struct v4l2_buffer buffer = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (!ask(camera, VIDIOC_QUERYBUF, &buffer, "there are too few buffers"))
        return false;
    void *data = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, camera->device, (off_t)buffer.m.offset);
    if (data == MAP_FAILED) {
        fprintf(stderr, "camera: a buffer cannot be mapped\n");
        return false;
    }
    camera->buffer[index].data = data;
    camera->buffer[index].length = buffer.length;
    return queue(camera, index);
}

static bool open_device(struct camera *camera, const char *name, unsigned width, unsigned height)
{
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    struct v4l2_requestbuffers buffers = {
        .count = CAMERA_BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    format.fmt.pix.width = width;
    format.fmt.pix.height = height;
    format.fmt.pix.pixelformat = V4L2_PIX_FMT_MJPEG;
    format.fmt.pix.field = V4L2_FIELD_NONE;
    camera->device = open(name, O_RDWR | O_CLOEXEC);
    if (camera->device < 0)
        return fprintf(stderr, "camera: %s: %s\n", name, strerror(errno)), false;
    if (!ask(camera, VIDIOC_S_FMT, &format, "it does not take pictures"))
        return false;
    if (format.fmt.pix.pixelformat != V4L2_PIX_FMT_MJPEG)
        return fprintf(stderr, "camera: %s has no MJPEG\n", name), false;
    if (!ask(camera, VIDIOC_REQBUFS, &buffers, "it does not share memory"))
        return false;
    for (unsigned i = 0; i < CAMERA_BUFFERS; i++)
        if (!map_buffer(camera, i))
            return false;
    return ask(camera, VIDIOC_STREAMON, &type, "it does not begin");
}

bool camera_open(struct camera *camera, const char *name, unsigned width, unsigned height)
{
    *camera = (struct camera){.device = -1, .held = CAMERA_BUFFERS};
    if (strcmp(name, "-") != 0)
        return open_device(camera, name, width, height);
    camera->stream = stdin;
    camera->frame = malloc(CAMERA_FRAME);
    return camera->frame != NULL;
}

void camera_close(struct camera *camera)
{
    for (unsigned i = 0; i < CAMERA_BUFFERS; i++)
        if (camera->buffer[i].data)
            munmap(camera->buffer[i].data, camera->buffer[i].length);
    if (camera->device >= 0)
        close(camera->device); /* which ends the stream */
    free(camera->frame);
}

bool camera_next(struct camera *camera, const uint8_t **data, size_t *length)
{
    if (camera->stream) {
        *data = camera->frame;
        return mjpeg_next(camera->stream, camera->frame, CAMERA_FRAME, length);
    }
    struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (camera->held < CAMERA_BUFFERS && !queue(camera, camera->held))
        return false;
    camera->held = CAMERA_BUFFERS;
    if (!ask(camera, VIDIOC_DQBUF, &buffer, "no frame comes") || buffer.index >= CAMERA_BUFFERS)
        return false;
    camera->held = buffer.index;
    *data = camera->buffer[buffer.index].data;
    *length = buffer.bytesused;
    return true;
}
