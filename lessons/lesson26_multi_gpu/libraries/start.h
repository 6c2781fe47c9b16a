/* start.h - who am I? A process for each GPU, on one machine or on several, started by mpirun, srun or torchrun.
 *
 *     struct start s = start_begin(&argc, &argv);     rank, ranks, and which GPU of this machine
 *     start_share(&s, &id, sizeof id);                rank 0's bytes, to all
 *     start_end(&s);
 *
 * With -DWITH_MPI, MPI knows all of this. Without it each launcher tells its processes by variables of the environment, and rank 0
 * hands out its bytes by TCP: at MASTER_ADDR (this machine, if it is not set), port MASTER_PORT + 1 (29501); torchrun itself listens
 * at MASTER_PORT. */
#ifndef LESSONS_LESSON26_MULTI_GPU_LIBRARIES_START_H
#define LESSONS_LESSON26_MULTI_GPU_LIBRARIES_START_H

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

struct start {
    int rank, ranks, local; /* local: the number of this process on its machine, and of its GPU */
    const char *by;
};

static inline void start_fail(const char *what) {
    perror(what);
    exit(1);
}

#ifdef WITH_MPI
static inline struct start start_begin(int *argc, char ***argv) {
    struct start s = {0, 1, 0, "MPI"};
    MPI_Comm machine;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, s.rank, MPI_INFO_NULL,
                        &machine); // those that share memory
    MPI_Comm_rank(machine, &s.local);
    MPI_Comm_free(&machine);
    return s;
}

static inline void start_share(const struct start *, void *bytes, size_t size) {
    MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static inline void start_end(const struct start *) {
    MPI_Finalize();
}
#else
static inline struct start start_begin(int *, char ***) {
    // RANK and its two companions are set by many, also by hand; TORCHELASTIC_RUN_ID by torchrun alone.
    static const char *const names[][5] = {
        {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID"},
        {"whoever sets RANK", "RANK", "WORLD_SIZE", "LOCAL_RANK", "RANK"},
        {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
         "OMPI_COMM_WORLD_RANK"},
        {"MPICH's mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "PMI_RANK"},
        {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_PROCID"},
    };
    for (const auto &name : names) {
        const char *rank = getenv(name[1]), *ranks = getenv(name[2]), *local = getenv(name[3]);
        if (rank && ranks && local && getenv(name[4])) {
            return {atoi(rank), atoi(ranks), atoi(local), name[0]};
        }
    }
    return {0, 1, 0, "hand"};
}

static inline int start_port(void) {
    const char *port = getenv("MASTER_PORT");
    return (port ? atoi(port) : 29500) + 1;
}

/* A socket that takes calls by IPv6 and by IPv4, or by IPv4 alone where the machine has nothing else. */
static inline int start_listen(int ranks) {
    int yes = 1, no = 0, listener = socket(AF_INET6, SOCK_STREAM, 0);
    struct sockaddr_in6 both = {};
    struct sockaddr_in old = {};
    const bool only_old = listener < 0;
    both.sin6_family = AF_INET6;
    old.sin_family = AF_INET;
    both.sin6_port = old.sin_port = htons((uint16_t)start_port());
    if (only_old) {
        listener = socket(AF_INET, SOCK_STREAM, 0);
    } else {
        setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    }
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const struct sockaddr *here = only_old ? (struct sockaddr *)&old : (struct sockaddr *)&both; // any address: zeros
    if (listener < 0 || bind(listener, here, only_old ? sizeof old : sizeof both) != 0 ||
        listen(listener, ranks) != 0) {
        start_fail("rank 0 cannot listen (is MASTER_PORT + 1 taken?)");
    }
    return listener;
}

/* Rank 0 waits for all others, one after the other, and sends each the bytes. */
static inline void start_serve(const struct start *s, const void *bytes, size_t size) {
    int listener = start_listen(s->ranks);
    for (int others = s->ranks - 1; others > 0; others--) {
        int talk = accept(listener, NULL, NULL);
        if (talk < 0 || write(talk, bytes, size) != (ssize_t)size) {
            start_fail("rank 0 cannot send");
        }
        close(talk);
    }
    close(listener);
}

static inline int start_connect(const char *host, const char *port) {
    struct addrinfo hints = {}, *found = NULL;
    int talk = -1;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &found) != 0) {
        return -1;
    }
    for (struct addrinfo *a = found; a && talk < 0; a = a->ai_next) {
        talk = socket(a->ai_family, SOCK_STREAM, 0);
        if (talk >= 0 && connect(talk, a->ai_addr, a->ai_addrlen) != 0) {
            close(talk);
            talk = -1;
        }
    }
    freeaddrinfo(found);
    return talk;
}

static inline void start_share(const struct start *s, void *bytes, size_t size) {
    const char *host = getenv("MASTER_ADDR");
    char port[16];
    int talk = -1;
    if (s->rank == 0) {
        start_serve(s, bytes, size);
        return;
    }
    snprintf(port, sizeof port, "%d", start_port());
    for (int tries = 0; talk < 0 && tries < 600; tries++) { // rank 0 may not be there yet
        talk = start_connect(host ? host : "localhost", port);
        if (talk < 0) {
            usleep(50000);
        }
    }
    for (size_t done = 0; done < size;) {
        ssize_t got = talk < 0 ? -1 : read(talk, (char *)bytes + done, size - done);
        if (got <= 0) {
            start_fail("no answer from rank 0 (MASTER_ADDR, MASTER_PORT)");
        }
        done += (size_t)got;
    }
    close(talk);
}

static inline void start_end(const struct start *) {}
#endif

#endif
