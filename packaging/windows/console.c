/* The console: its text, its width, what it says to a program; and the machine. */
#include "windows_api.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- text ---- */

static UINT code_page;

static void restore(void)
{
    if (code_page != 0)
        SetConsoleOutputCP(code_page);
}

void console_open(void)
{
    code_page = GetConsoleOutputCP();
    if (code_page == 0)
        return;
    SetConsoleOutputCP(CP_UTF8);
    atexit(restore);
}

int isatty(int descriptor)
{
    HANDLE console = handle_of(descriptor);
    DWORD mode;
    if (!GetConsoleMode(console, &mode))
        return 0;
    return descriptor == STDIN_FILENO ||
           SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

int ioctl(int descriptor, int what, struct winsize *size)
{
    CONSOLE_SCREEN_BUFFER_INFO of;
    (void)what;
    if (!GetConsoleScreenBufferInfo(handle_of(descriptor), &of))
        return failed();
    size->ws_col = of.srWindow.Right - of.srWindow.Left + 1;
    return 0;
}

/* ---- signals ---- */

enum { SIGNALS = 32 };
static void (*volatile handler[SIGNALS])(int);

/* The default action follows. */
static BOOL WINAPI on_console(DWORD event)
{
    int number = event == CTRL_C_EVENT ? SIGINT : event == CTRL_BREAK_EVENT ? SIGQUIT : SIGHUP;
    if (handler[number] == SIG_IGN)
        return TRUE;
    if (handler[number] != SIG_DFL)
        handler[number](number);
    restore();
    return FALSE;
}

int sigaction(int number, const struct sigaction *wanted, struct sigaction *old)
{
    static bool is_listening;
    if (old != NULL)
        *old = (struct sigaction){.sa_handler = handler[number]};
    if (wanted == NULL)
        return 0;
    handler[number] = wanted->sa_handler;
    if (!is_listening)
        is_listening = SetConsoleCtrlHandler(on_console, TRUE);
    return 0;
}

void end_by_pipe(void)
{
    if (handler[SIGPIPE] != SIG_DFL)
        handler[SIGPIPE](SIGPIPE);
    restore();
    TerminateProcess(GetCurrentProcess(), 128 + SIGPIPE);
    abort();
}

int pause(void)
{
    Sleep(INFINITE);
    return -1;
}

int poll(struct pollfd *files, unsigned count, int milliseconds)
{
    (void)files, (void)count;
    Sleep((DWORD)milliseconds);
    return 0;
}

/* ---- the machine ---- */

static long processors(void)
{
    DWORD_PTR ours, all;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all) || ours == 0)
        return (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    return __builtin_popcountll(ours);
}

long sysconf(int what)
{
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    switch (what) {
    case _SC_NPROCESSORS_ONLN:
        return processors();
    case _SC_PAGESIZE:
        return (long)system.dwPageSize;
    case _SC_PHYS_PAGES:
        return GlobalMemoryStatusEx(&memory) ? (long)(memory.ullTotalPhys / system.dwPageSize) : -1;
    default:
        return -1;
    }
}
