/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares an exponential function and powers that are the same on every machine. */
#ifndef KOSTKA_FILTERS_CPU_EXPONENTIAL_H
#define KOSTKA_FILTERS_CPU_EXPONENTIAL_H

/*
 * Return e^x for x up to 0. C libraries round exp() differently; this function consists of sums and products in
 * binary64 alone, each rounded once. It is off by a few units of the last place at most, and 0 below about −700.
 */
double kst_filter_exp(double x);

/* Return a power of a base from 2^−20 to 1, as exact and as independent of the machine; the exponent is from 0 to 30.
 */
double kst_filter_power(double base, double exponent);

#endif
