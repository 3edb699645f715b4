/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares an exponential function and powers that are the same on every machine. */
#ifndef KOSTKA_FILTERS_CPU_EXPONENTIAL_H
#define KOSTKA_FILTERS_CPU_EXPONENTIAL_H

/*
 * Return e^x for x up to 0. C libraries round exp() differently; this function uses only sums, products and quotients
 * in binary64, each rounded once. The result is off by a few units in the last place at most, and is 0 below about
 * −700.
 */
double kst_filter_exp(double x);

/* Return a power, as exactly, for bases from 2^−20 to 1 and exponents from 0 to 30. */
double kst_filter_power(double base, double exponent);

#endif
