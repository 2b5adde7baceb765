/* SPDX-License-Identifier: MIT */
/* work.c - what is stepped through: branches of all kinds, and calls into a library and back. */
#include <stdio.h>
#include <stdlib.h>

int library_sum(const int *values, int n, int (*value)(int));

static int __attribute__((noinline)) choose(int x)
{
    switch (x % 7) {
    case 0: return x * 3;
    case 1: return x - 1;
    case 2: return x ^ 0x55;
    case 3: return -x;
    case 4: return x / 3;
    case 5: return x << 1;
    default: return 7;
    }
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    static int values[512];
    const int n = argc > 1 ? atoi(argv[1]) : 512;
    for (int i = 0; i < n; i++)
        values[i] = i * 7919 % 511;
    qsort(values, (size_t)n, sizeof *values, compare);
    long sum = 0;
    for (int round = 0; round < 8; round++)
        sum += library_sum(values, n, choose);
    printf("%ld\n", sum);
    return 0;
}
