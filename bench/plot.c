/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the summary of kostka-peers or kostka-j2k-peers as an SVG bar chart: kostka-plot RESULTS.json OUT.svg */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

enum { WIDTH = 760, LEFT = 230, RIGHT = 70, TOP = 64, ROW = 34, BAR = 20 };

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL ? value : "";
}

/* Print a name with escapes. Model names rarely hold markup; if one does, it must not break the file. */
static void print_escaped(FILE *to, const char *value)
{
    for (; *value != '\0'; value++) {
        if (*value == '<')
            fputs("&lt;", to);
        else if (*value == '&')
            fputs("&amp;", to);
        else
            fputc(*value, to);
    }
}

static double highest(const json_t *summary)
{
    double top = 2.0;
    size_t index;
    const json_t *entry;

    json_array_foreach(summary, index, entry) top = number(entry, "high") > top ? number(entry, "high") : top;
    return top;
}

static void draw_scale(FILE *to, double top, double unit, int bottom)
{
    for (int half = 0; half <= (int)(2.0 * top); half++) {
        double value = half * 0.5;
        double x = LEFT + value * unit;
        fprintf(to, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='%s'/>\n", x, TOP - 6, x, bottom,
            value == 1.0 ? "#333' stroke-width='1.5" : "#ddd");
        fprintf(to, "<text x='%.1f' y='%d' text-anchor='middle' fill='#555'>%.1f</text>\n", x, bottom + 16, value);
    }
}

static void draw_bar(FILE *to, const json_t *entry, size_t index, double unit)
{
    double median = number(entry, "median"), low = number(entry, "low"), high = number(entry, "high");
    int threads = (int)number(entry, "threads"), y = TOP + (int)index * ROW;
    double middle = y + BAR / 2.0;

    fprintf(to, "<text x='%d' y='%.1f' text-anchor='end'>%s, %d thread%s</text>\n", LEFT - 8, middle + 4,
        text(entry, "work"), threads, threads == 1 ? "" : "s");
    fprintf(to, "<rect x='%d' y='%d' width='%.1f' height='%d' fill='%s'/>\n", LEFT, y, median * unit, BAR,
        threads == 1 ? "#4878a8" : "#d8843c");
    fprintf(to, "<path d='M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8' stroke='#222' fill='none'/>\n", LEFT + low * unit,
        middle, LEFT + high * unit, LEFT + low * unit, middle - 4, LEFT + high * unit, middle - 4);
    fprintf(to, "<text x='%.1f' y='%.1f' font-weight='bold'>%.2f</text>\n", LEFT + high * unit + 6, middle + 4, median);
}

static void draw(FILE *to, const json_t *root)
{
    const json_t *summary = json_object_get(root, "summary"), *entry;
    int bottom = TOP + (int)json_array_size(summary) * ROW;
    double top = highest(summary), unit = (WIDTH - LEFT - RIGHT) / top;
    size_t index;

    fprintf(to,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='13'>\n"
        "<rect width='100%%' height='100%%' fill='white'/>\n"
        "<text x='16' y='24' font-size='16' font-weight='bold'>%s</text>\n"
        "<text x='16' y='44' fill='#555'>",
        WIDTH, bottom + 30,
        json_object_get(root, "title") != NULL ? text(root, "title")
                                               : "Speed against libjpeg-turbo on one thread (= 1)");
    print_escaped(to, text(root, "processor"));
    fprintf(
        to, ", %s; median, lowest and highest over photographs, qualities and samplings</text>\n", text(root, "tier"));
    draw_scale(to, top, unit, bottom);
    json_array_foreach(summary, index, entry) draw_bar(to, entry, index, unit);
    fputs("</svg>\n", to);
}

int main(int argc, char **argv)
{
    json_error_t error;

    if (argc != 3) {
        fputs("Usage: kostka-plot RESULTS.json OUT.svg\n", stderr);
        return 2;
    }
    json_t *root = json_load_file(argv[1], 0, &error);
    FILE *to = root != NULL ? fopen(argv[2], "w") : NULL;
    if (to == NULL) {
        fprintf(stderr, "kostka-plot: %s\n", root == NULL ? error.text : "the output cannot be written");
        json_decref(root);
        return 1;
    }
    draw(to, root);
    json_decref(root);
    return fclose(to) == 0 ? 0 : 1;
}
