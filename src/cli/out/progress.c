#include "cli/out/progress.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_MS = 1000, /* shorter work needs no line */
    NEXT_MS = 200,   /* as often as an eye cares for */
    LINE = 128
};

/* Columns that the line takes on the terminal now. Static, because a signal handler erases it. */
static atomic_int drawn;

static void put(const char *bytes, size_t length)
{
    ssize_t ignored = write(STDERR_FILENO, bytes, length); /* a failure can't be told either */
    (void)ignored;
}

/* With spaces: every terminal knows them. */
void progress_erase(void)
{
    char line[LINE + 2];
    size_t columns = (size_t)atomic_exchange(&drawn, 0);
    if (columns == 0)
        return;
    memset(line, ' ', sizeof line);
    line[0] = line[columns + 1] = '\r';
    put(line, columns + 2);
}

/* On the clock that waiting has by default: macOS and Windows have no other for it. Where it
 * is set meanwhile, the line is drawn sooner or later than meant. */
static struct timespec after(int milliseconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += milliseconds * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

void progress_words(size_t documents, size_t done, size_t blocks, char words[PROGRESS_WORDS])
{
    int length = 0;
    if (documents > 0)
        length = snprintf(words, PROGRESS_WORDS, "%zu document%s done", documents,
                          documents == 1 ? "" : "s");
    if (blocks > 0)
        snprintf(words + length, (size_t)(PROGRESS_WORDS - length), "%sblock %zu of %zu",
                 documents > 0 ? ", " : "", done, blocks);
    else if (documents == 0)
        strcpy(words, "reading");
}

static void *draw_now_and_then(void *argument)
{
    progress *p = argument;
    struct timespec next = after(FIRST_MS);
    pthread_mutex_lock(&p->lock);
    while (!p->ends) {
        if (pthread_cond_timedwait(&p->end, &p->lock, &next) == 0)
            continue;
        char words[PROGRESS_WORDS], line[LINE];
        progress_words(atomic_load(&p->documents), atomic_load(&p->run.done),
                       atomic_load(&p->run.blocks), words);
        int columns = snprintf(line, LINE, "selfattn: %s", words);
        columns = columns < p->width ? columns : p->width;
        progress_erase();
        atomic_store(&drawn, columns);
        put(line, (size_t)columns);
        next = after(NEXT_MS);
    }
    progress_erase();
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void progress_start(progress *p, const options *o, env *world)
{
    *p = (progress){.width = world->width - 1};
    if (!world->stderr_is_terminal || o->quiet)
        return;
    sigset_t every, before;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->end, NULL);
    /* Signals go to the caller's thread, which knows what to clean up. */
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    if (pthread_create(&p->thread, NULL, draw_now_and_then, p) == 0)
        world->progress = p;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_stop(env *world)
{
    progress *p = world->progress;
    if (p == NULL)
        return;
    world->progress = NULL;
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    pthread_cond_signal(&p->end);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->end);
    pthread_mutex_destroy(&p->lock);
}

void progress_document_done(progress *p)
{
    if (p == NULL)
        return;
    atomic_fetch_add(&p->documents, 1);
    atomic_store(&p->run.blocks, 0);
}

void progress_pause(progress *p)
{
    if (p == NULL || p->pauses++ > 0)
        return;
    pthread_mutex_lock(&p->lock);
    progress_erase();
}

void progress_resume(progress *p)
{
    if (p != NULL && --p->pauses == 0)
        pthread_mutex_unlock(&p->lock);
}
