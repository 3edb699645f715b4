/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a file of several pictures: make_album FIRST OUT mpf|mpf-be|xmp|both|none [PICTURE…] [--bytes FILE]. The second
 * picture is a preview, the third a gain map; the bytes are a video.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/jpeg/album.h"

static bool read(const char *path, struct contents *contents)
{
    if (contents_read(path, contents))
        return true;
    fprintf(stderr, "make_album: cannot read %s\n", path);
    return false;
}

static bool add(struct album *album, const char *path, bool picture)
{
    static const uint32_t types[] = {0x010002, 0x050000, 0};
    static const char *const semantics[] = {"Preview", "GainMap", "Unknown"};
    struct album_part *part = &album->part[album->count];
    size_t kind = album->count < 2 ? album->count : 2;

    if (album->count == ALBUM_PARTS || !read(path, &part->bytes))
        return false;
    part->attribute = types[kind];
    part->indexed = picture;
    part->semantic = picture ? semantics[kind] : "MotionPhoto";
    part->mime = picture ? "image/jpeg" : "video/mp4";
    album->count++;
    return true;
}

static bool write(const char *path, const struct contents *contents)
{
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(contents->data, 1, contents->length, file) == contents->length;

    return file != NULL && fclose(file) == 0 && good;
}

int main(int argc, char **argv)
{
    struct album album = {.mpf = false};

    if (argc < 4 || !read(argv[1], &album.first))
        return 1;
    album.mpf = strncmp(argv[3], "mpf", 3) == 0 || strcmp(argv[3], "both") == 0;
    album.big_endian = strcmp(argv[3], "mpf-be") == 0;
    album.xmp = strcmp(argv[3], "xmp") == 0 || strcmp(argv[3], "both") == 0;
    for (int i = 4; i < argc; i++) {
        bool bytes = strcmp(argv[i], "--bytes") == 0 && i + 1 < argc;
        if (!add(&album, argv[bytes ? ++i : i], !bytes))
            return 1;
    }
    struct contents file = album_make(&album);
    bool good = write(argv[2], &file);
    contents_free(&file);
    contents_free(&album.first);
    for (size_t i = 0; i < album.count; i++)
        contents_free(&album.part[i].bytes);
    return good ? 0 : 1;
}
