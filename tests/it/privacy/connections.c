/* Writes down whom a program connects to, and whose address it asks for: a line each, appended to CONNECTIONS. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void note(const char *line) {
    const char *log = getenv("CONNECTIONS");
    if (!log) return;
    int fd = open(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0) return;
    if (write(fd, line, strlen(line)) < 0) abort();
    close(fd);
}

static void note_address(const char *how, const struct sockaddr *to) {
    char text[INET6_ADDRSTRLEN] = "?", line[256];
    int port = 0;
    if (to->sa_family == AF_INET) {
        const struct sockaddr_in *a = (const void *)to;
        inet_ntop(AF_INET, &a->sin_addr, text, sizeof text);
        port = ntohs(a->sin_port);
    } else if (to->sa_family == AF_INET6) {
        const struct sockaddr_in6 *a = (const void *)to;
        inet_ntop(AF_INET6, &a->sin6_addr, text, sizeof text);
        port = ntohs(a->sin6_port);
    } else {
        return; /* This machine alone. */
    }
    snprintf(line, sizeof line, "%s %s:%d\n", how, text, port);
    note(line);
}

int connect(int fd, const struct sockaddr *to, socklen_t length) {
    int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
    note_address("connect", to);
    return real(fd, to, length);
}

ssize_t sendto(int fd, const void *data, size_t n, int flags, const struct sockaddr *to, socklen_t length) {
    ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "sendto");
    if (to) note_address("send", to);
    return real(fd, data, n, flags, to, length);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out) {
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    char line[512];
    snprintf(line, sizeof line, "ask for %s\n", name ? name : "");
    note(line);
    return real(name, service, hints, out);
}
