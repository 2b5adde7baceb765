/* SPDX-License-Identifier: MIT */
int library_sum(const int *values, int n, int (*value)(int));

static int __attribute__((noinline)) weight(int x)
{
    int bits = 0;
    for (; x > 0; x &= x - 1)
        bits++;
    return bits;
}

int library_sum(const int *values, int n, int (*value)(int))
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i % 3 ? value(values[i]) : weight(values[i]);
    return sum;
}
