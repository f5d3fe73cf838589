#include "cli/command.h"

#include "base/mapping.h"
#include "base/mem.h"
#include "base/threads.h"
#include "cli/help/help.h"
#include "cli/line/options_parse.h"
#include "cli/line/other_words.h"
#include "cli/out/outputs.h"
#include "cli/out/progress.h"
#include "cli/out/said.h"
#include "io/json_write.h"
#include "io/sink.h"
#include "io/temporary.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* Half-written files go, then the signal does what it does to any program. */
static void remove_temporaries_and_end(int number)
{
    temporary_remove_all();
    progress_erase();
    /* Delivered on return, with its default action: SA_RESETHAND. The sandbox lets a thread have no
     * signal by its number alone, as musl's raise would. */
    if (raise(number) != 0)
        kill(getpid(), number);
}

/* Writes to standard error; safe in a signal handler. */
static void say(const char *words)
{
    ssize_t ignored = write(STDERR_FILENO, words, strlen(words));
    (void)ignored;
}

/* If another program cuts a file short while it is mapped, this program ends here. Several threads
 * may meet it: the first one reports it, and the others wait for the end. */
static void end_on_lost_file(int number, siginfo_t *what, void *context)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&is_told))
        pause();
    const char *name = what->si_code > 0 ? mapping_name_at(what->si_addr) : NULL;
    (void)number;
    (void)context;
    temporary_remove_all();
    say("selfattn: ");
    say(name == NULL ? "an input file" : name);
    say(name == NULL ? " was cut short while it was read\n"
                     : ": was cut short while it was read\n");
    _exit(EXIT_WRONG);
}

/* All signals that end a program by default, except those of its own faults and the real-time ones,
 * which are sent only to programs that ask for them. SIGXFSZ (ulimit -f) is ignored, so that the
 * write fails with an error. */
static void clean_up_on_signals(void)
{
    static const int SIGNALS[] = {
        SIGINT,    SIGTERM, SIGHUP,  SIGPIPE,   SIGQUIT, SIGALRM,
        SIGXCPU,   SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF,
#ifdef SIGPOLL
        SIGPOLL, /* the same as SIGIO */
#endif
#ifdef SIGPWR
        SIGPWR,
#endif
#ifdef SIGSTKFLT
        SIGSTKFLT,
#endif
    };
    sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = end_on_lost_file, .sa_flags = SA_SIGINFO},
              NULL);
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        /* A signal that the caller ignores (nohup) stays ignored; but a closed pipe ends the
         * program, also where a caller ignores SIGPIPE, so that no pipeline ever sees "Broken
         * pipe". */
        struct sigaction ours = {.sa_handler = remove_temporaries_and_end,
                                 .sa_flags = (int)SA_RESETHAND},
                         old = {0};
        sigemptyset(&ours.sa_mask);
        sigaction(SIGNALS[i], NULL, &old);
        if (old.sa_handler != SIG_IGN || SIGNALS[i] == SIGPIPE)
            sigaction(SIGNALS[i], &ours, NULL);
    }
}

typedef struct command_line {
    int argc;
    char **argv;
    env *world;
    int status;
    err e;
} command_line;

static void run_command(void *context)
{
    command_line *l = context;
    env *world = l->world;
    err *e = &l->e, changed = {0};
    int taken;
    const command *c = command_named(l->argc, l->argv, &taken);
    options o;
    text told = {0};
    bool is_parsed =
        options_parse(&o, l->argc - taken, l->argv + taken, c->groups, c->named.name, e);
    /* By default all processors, and 80 % of the memory that the machine has free, including what
     * the program itself takes: the rest is for other programs. A limit of 1 means that nothing is
     * left. */
    size_t most = world->free_memory / 10 * 8;
    if (!o.has_max_memory)
        o.max_memory = most > MEM_OWN ? most - MEM_OWN : 1;
    if (!o.has_threads)
        o.threads = world->processors < THREADS_MOST ? world->processors : THREADS_MOST;
    mem_limit(o.max_memory);
    sink_sync_all(o.sync);
    if (is_parsed && (o.help || o.version)) {
        if (!o.help)
            help_write_version(&told);
        else if (taken > 0)
            help_write_command(&told, c);
        else
            help_write_short(&told);
        l->status = sink_write_text("-", &told, true, e) ? EXIT_DONE : EXIT_WRONG;
    } else if (is_parsed && output_check_endings(&o, c->groups, e)) {
        bool is_shut_in = world->is_process && !o.no_sandbox;
        const char *written = c->writes_last && o.operands > 1 ? o.operand[o.operands - 1] : NULL;
        int reason = is_shut_in ? sandbox_enter(&o, written) : 0;
        if (reason != 0)
            note_say(world, &o, NULL,
                     "the system can't restrict which files are opened (Landlock: %s)",
                     strerror(reason));
        l->status = c->run(&o, world, e);
    }
    if (!mapping_check_unchanged(&changed)) {
        *e = changed; /* an error about such a file may come from the change */
        l->status = EXIT_WRONG;
    }
    if (e->is_set && taken == 0 && l->argc > 1 && l->argv[1][0] != '-' &&
        access(l->argv[1], F_OK) != 0) {
        /* A first argument that is not a file may be a command's name, mistyped, or an option's. */
        const char *first = l->argv[1];
        const named *near = named_nearest(&COMMANDS, first, strlen(first));
        err meant = *e;
        meant.remedy[0] = '\0'; /* a file of a similar name is less likely meant */
        if (!other_words_command(first, &meant) && near != NULL)
            err_remedy(&meant, "did you mean the command %s?", near->name);
        if (meant.remedy[0] != '\0')
            *e = meant;
    }
    options_free(&o);
}

int cli_main(int argc, char **argv, env *world)
{
    command_line l = {.argc = argc, .argv = argv, .world = world, .status = EXIT_WRONG};
    mem_keep_pages();
    json_string_use_account();
    clean_up_on_signals();
    if (argc <= 1 && world->stdin_is_terminal) {
        text out = {0};
        help_write_first(&out);
        env_say(world, text_string(&out), out.length);
        text_free(&out);
        return EXIT_WRONG;
    }
    if (!threads_on_stack(run_command, &l)) {
        err_set(&l.e, "the stack is too small, and no thread can be started that has a larger one");
        err_remedy(&l.e, "ulimit -s 1024 is enough");
    }
    if (l.e.is_set)
        report_error(world, &l.e);
    return l.status;
}
