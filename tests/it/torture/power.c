/* Stands between a program and the disk: what is synced is copied to POWER_TO, what is not would be lost with the power.
   Names (a rename, a removal) count as on the disk at once, as on a journaling file system; contents only when synced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path on the disk of a path of the casebook; 0 for any other. */
static int there(const char *path, char *out) {
    const char *from = getenv("POWER_FROM"), *to = getenv("POWER_TO");
    char whole[PATH_MAX];
    if (!from || !to) return 0;
    if (path[0] != '/') {
        char here[PATH_MAX];
        if (!getcwd(here, sizeof here)) return 0;
        if (snprintf(whole, sizeof whole, "%s/%s", here, path) >= (int)sizeof whole) return 0;
        path = whole;
    }
    size_t n = strlen(from);
    if (strncmp(path, from, n) || path[n] != '/') return 0;
    return snprintf(out, PATH_MAX, "%s%s", to, path + n) < PATH_MAX;
}

static void folders(char *path) {
    for (char *p = path + 1; *p; p++) {
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0700);
            *p = '/';
        }
    }
}

static void synced(int fd) {
    char link[64], path[PATH_MAX], out[PATH_MAX], part[PATH_MAX + 8], buffer[1 << 16];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return;
    path[n] = 0;
    if (!there(path, out)) return;
    struct stat what;
    if (fstat(fd, &what) || !S_ISREG(what.st_mode)) return;
    folders(out);
    snprintf(part, sizeof part, "%s.%d", out, (int)getpid());
    int in = open(path, O_RDONLY), to = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in >= 0 && to >= 0) {
        while ((n = read(in, buffer, sizeof buffer)) > 0)
            if (write(to, buffer, n) != n) break;
    }
    if (in >= 0) close(in);
    if (to >= 0) close(to);
    int (*move)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    move(part, out);
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, #name)

int fsync(int fd) {
    REAL(int, fsync, int);
    (void)real;
    synced(fd);
    return 0;
}

int fdatasync(int fd) {
    synced(fd);
    return 0;
}

int rename(const char *old, const char *new) {
    REAL(int, rename, const char *, const char *);
    int result = real(old, new);
    char from[PATH_MAX], to[PATH_MAX];
    if (!result && there(old, from) && there(new, to)) {
        folders(to);
        struct stat what;
        /* A file that was never synced has its name and nothing in it. */
        if (stat(from, &what)) close(open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600));
        else real(from, to);
    }
    return result;
}

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    int result = real(path);
    char out[PATH_MAX];
    if (!result && there(path, out)) real(out);
    return result;
}
