/* SPDX-License-Identifier: MIT */
/*
 * kernel.c - what perf2bolt takes for a Linux kernel: its version and two of its sections. It also runs as a
 * program, at an address of user space.
 */
__asm__(".section __ksymtab, \"a\", @progbits\n"
        ".section __ksymtab_gpl, \"a\", @progbits\n"
        ".text");
const char linux_banner[] = "Linux version 6.1.0 (nobody)\n";
static volatile int sum;

__attribute__((noinline)) int count_steps(unsigned long x)
{
    int n = 0;
    for (; x != 1; n++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return n;
}

__attribute__((noinline)) int classify(int n)
{
    return n % 5 == 0 ? 1 : n % 5 > 1 ? 2 : n > 50 ? 7 : 3;
}

__attribute__((noipa)) int add_up(int n)
{
    int s = 0;
    for (int i = 1; i < n; i++)
        s += classify(count_steps((unsigned long)i));
    return s;
}

void _start(void)
{
    for (int i = 40; i < 60; i++)
        sum += add_up(i);
    __asm__ volatile("syscall" : : "a"(60), "D"(0)); /* exit */
    __builtin_unreachable();
}
