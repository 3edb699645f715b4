/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka filter', which applies filters to pictures between reading and writing them. */
#include "files/filter.h"

#include <string.h>
#include <unistd.h>

#include "batch/batch.h"
#include "convert.h"
#include "scene/stereo.h"
#include "scene/sweep.h"

/*
 * Return whether a word is a file rather than a chain of filters. No filter's name contains a dot or a slash; the
 * numbers behind the name may.
 */
static bool is_file(const char *word)
{
    return strchr(word, '=') == NULL && strpbrk(word, "./") != NULL && access(word, F_OK) == 0;
}

/* The chain directly follows the verb, so that the operands are the same as those of 'kostka convert'. */
static int run(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-')
        return convert_run(&verb_filter, NULL, argc, argv);
    if (strcmp(argv[1], "stereo") == 0)
        return stereo_run(argc - 1, argv + 1);
    if (strcmp(argv[1], "sweep") == 0)
        return sweep_run(argc - 1, argv + 1);
    if (is_file(argv[1]))
        return complain_usage(
            "filter", "filters come first, such as 'kostka filter canny=50:150 IN OUT'; '%s' is a file", argv[1]);
    if (!filters_check("filter", argv[1], true))
        return EXIT_USAGE;
    const char *chain = argv[1];
    argv[1] = argv[0];
    return convert_run(&verb_filter, chain, argc - 1, argv + 1);
}

const struct verb verb_filter = {
    .name = "filter",
    .summary = "apply filters to a picture of any format, and write any other",
    .run = run,
    .help =
        "Usage: kostka filter FILTER[,FILTER...] [OPTIONS] IN OUT\n"
        "       kostka filter FILTER[,FILTER...] [OPTIONS] --out-format FORMAT --out-dir DIR IN...\n"
        "       kostka filter stereo [OPTIONS] LEFT RIGHT OUT\n"
        "       kostka filter sweep [OPTIONS] CAMERAS OUT\n"
        "\n"
        "Reads and writes what 'kostka convert' does, with the same options, and applies filters to the pixels, from\n"
        "left to right. Each is NAME or NAME=VALUE:VALUE..., where a value may be named: canny=50:150:norm=l2.\n"
        "JPEG and JPEG 2000 are filtered by the device that decodes them (--device); a JPEG output of theirs is\n"
        "encoded there, too; for many inputs --device may name several. All is done in integers: the result does not\n"
        "depend on the device. The verbs convert, decode, encode and video take the same as --filters.\n"
        "\n"
        "  crop=WxH:LEFT:TOP                    size, left, top: a part\n"
        "  resize=WxH|Wx|xH:FIT:WEIGHTS         size; fit exact|inside|cover; weights bicubic|box|bilinear|hamming|\n"
        "                                       lanczos\n"
        "  rotate=90|180|270                    angle, clockwise\n"
        "  flip=horizontal|vertical             direction\n"
        "  grey                                 luminance\n"
        "  depth=BITS                           bits of a sample, 1-16\n"
        "  invert                               the negative\n"
        "  levels=BLACK:WHITE:LOWEST:HIGHEST    black, white become lowest, highest; samples are 0-255, 0-65535 ...\n"
        "  threshold=LEVEL                      level: above it white, otherwise black\n"
        "  equalise                             spread luminance evenly\n"
        "  gaussian=SIGMA:RADIUS                sigma 0.1-40 (1), radius (3 sigma): blur\n"
        "  median=RADIUS                        radius 1-15 (1): remove specks\n"
        "  bilateral=COLOUR:SPACE:RADIUS        colour (30), space (3), radius 1-12 (1.5 space): smooth, keep edges\n"
        "  sharpen=AMOUNT:SIGMA:THRESHOLD       amount 0-16 (1), sigma (1), threshold (0): unsharp mask\n"
        "  sobel=3|5:SHOWN                      aperture; shown sum|length|x|y: gradients\n"
        "  canny=LOW:HIGH:NORM:APERTURE         low, high; norm l1|l2; aperture 3|5|7: edges, as OpenCV finds them\n"
        "  warp=A:B:C:D:E:F:G:H                 a to h, size, weights bilinear|bicubic, outside black|edge: (x, y) is\n"
        "                                       ((Ax+By+C)/(Gx+Hy+1), (Dx+Ey+F)/(Gx+Hy+1)) of the source\n"
        "  rgb                                  three colours of grey; without alpha\n"
        "  channel=red|green|blue|alpha         name: one channel as grey\n"
        "  matrix=RR:RG:RB:GR:GG:GB:BR:BG:BB    rr to bb, and red, green, blue that are added (0; 1 is the greatest)\n"
        "  lut=FILE:BETWEEN                     file .cube, between auto|tetrahedral|trilinear: colours by a table\n"
        "  xyz=COLOURS:GAMMA:BITS               colours bt709|p3|dci|bt2020, gamma 1-3 (2.4), bits (12): X'Y'Z' of "
        "RGB,\n"
        "                                       for digital cinema\n"
        "  histogram                            at the end: counts of samples, to OUT.json or OUT.csv\n"
        "  normalise=DARK:BRIGHT                dark, bright 0-49.999 (1): per cent of pixels to become black, white\n"
        "  cartoon=LEVELS:PASSES:LINE:LOW:HIGH:COLOUR:RADIUS\n"
        "                                       levels (8) of luminance; passes (2), colour (25), radius (3) of\n"
        "                                       bilateral; line (2); low (40), high (100) of canny: few tones,\n"
        "                                       black lines\n"
        "  oil=RADIUS:RATIO                     radius 1-15 (4), ratio 1-127 (8): paint in oil\n"
        "  lines=LOW:HIGH:TOLERANCE:LENGTH      low (40), high (100) of canny, tolerance (1.5), length (10): straight\n"
        "                                       lines; OUT.svg, OUT.csv and OUT.json get them as such\n"
        "  painterly=BRUSH:LAYERS:LENGTH:THRESHOLD\n"
        "                                       brush 2-32 (8): radius of the thickest; layers 1-4 (3), length\n"
        "                                       1-16 (8), threshold 0-255 (12): paint with strokes\n"
        "\n"
        "'stereo' takes two rectified pictures and makes disparities, 'sweep' pictures with their cameras and makes\n"
        "depths; 'kostka filter stereo --help' and 'kostka filter sweep --help' tell their options.\n"
        "\n"
        "  kostka filter resize=1920x,sharpen=0.5 photo.jpg small.jpg -q 90\n"
        "  kostka filter canny=50:150 photo.jp2 edges.png\n"
        "\n"
        "'kostka help convert' tells the options for reading and writing.\n"
        "\n" BATCH_HELP,
};
