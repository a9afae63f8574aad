/* An open pool: a limited number of customers of several classes inside stations with exponential times, the others
   waiting in order of arrival.

   Reads the limit, the number of stations and, by station, its discipline (0 in order of arrival, 1 shared, 2 a delay)
   and servers; the number of classes and, by class, its rate, the number of its visits and, by visit, station and mean;
   the number of arrivals, and the seed. Prints by class the mean response and its 50th, 90th, 95th, 99th and 99.9th
   percentile. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATIONS = 8, CLASSES = 8, VISITS = 16, INSIDE = 256 };

typedef struct {
    int discipline, servers, count, line[INSIDE];
} Station;

typedef struct {
    double rate;
    int visits, at[VISITS];
    double mean[VISITS];
    float *responses;
    long done;
} Class;

typedef struct {
    double arrived;
    int class, visit;
} Customer;

static Station stations[STATIONS];
static Class classes[CLASSES];
static Customer inside[INSIDE], *waiting;
static int unused[INSIDE], most;
static uint64_t state;

static double uniform(void) {
    /* splitmix64, of Steele, Lea and Flood (2014). */
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double number(void) {
    double value;
    if (scanf("%lf", &value) != 1) exit(1);
    return value;
}

static void visit(int customer) {
    Customer *who = &inside[customer];
    Station *station = &stations[classes[who->class].at[who->visit]];
    station->line[station->count++] = customer;
}

static int order(const void *one, const void *other) {
    float a = *(const float *)one, b = *(const float *)other;
    return (a > b) - (a < b);
}

int main(void) {
    int limit = (int)number(), places = (int)number();
    for (int i = 0; i < places; i++) {
        stations[i].discipline = (int)number();
        stations[i].servers = (int)number();
    }
    int kinds = (int)number();
    double arriving = 0;
    for (int i = 0; i < kinds; i++) {
        arriving += classes[i].rate = number();
        classes[i].visits = (int)number();
        for (int j = 0; j < classes[i].visits; j++) {
            classes[i].at[j] = (int)number();
            classes[i].mean[j] = number();
        }
    }
    long arrivals = (long)number();
    state = (uint64_t)number();
    for (int i = 0; i < kinds; i++) classes[i].responses = malloc(sizeof(float) * (size_t)arrivals);
    most = 1 << 20;
    waiting = malloc(sizeof(Customer) * (size_t)most);
    for (int i = 0; i < limit; i++) unused[i] = i;
    int free_places = limit;
    long first = 0, last = 0, come = 0, warm = arrivals / 20;
    double now = 0, weights[INSIDE];
    int who[INSIDE], where[INSIDE], position[INSIDE];
    while (come < arrivals) {
        int count = 0;
        double sum = arriving;
        for (int s = 0; s < places; s++) {
            Station *station = &stations[s];
            int served = station->discipline == 0 && station->count > station->servers ? station->servers
                                                                                       : station->count;
            double share = 1;
            if (station->discipline == 1 && station->count > station->servers)
                share = (double)station->servers / station->count;
            for (int k = 0; k < served; k++) {
                Customer *here = &inside[station->line[k]];
                sum += weights[count] = share / classes[here->class].mean[here->visit];
                who[count] = station->line[k];
                where[count] = s;
                position[count++] = k;
            }
        }
        now -= log(uniform()) / sum;
        double chosen = uniform() * sum;
        int admitted = -1;
        if (chosen < arriving) {
            int kind = 0;
            while (kind < kinds - 1 && chosen >= classes[kind].rate) chosen -= classes[kind++].rate;
            Customer customer = {now, kind, 0};
            come++;
            if (free_places) {
                admitted = unused[--free_places];
                inside[admitted] = customer;
            } else {
                if (last - first == most) exit(2);
                waiting[last++ % most] = customer;
            }
        } else {
            chosen -= arriving;
            int event = 0;
            while (event < count - 1 && chosen >= weights[event]) chosen -= weights[event++];
            Station *station = &stations[where[event]];
            station->count--;
            for (int k = position[event]; k < station->count; k++) station->line[k] = station->line[k + 1];
            Customer *done = &inside[who[event]];
            Class *class = &classes[done->class];
            if (++done->visit < class->visits) {
                admitted = who[event];
            } else {
                if (come > warm) class->responses[class->done++] = (float)(now - done->arrived);
                if (first < last) {
                    admitted = who[event];
                    inside[admitted] = waiting[first++ % most];
                } else {
                    unused[free_places++] = who[event];
                }
            }
        }
        if (admitted >= 0) visit(admitted);
    }
    static const double shares[] = {0.5, 0.9, 0.95, 0.99, 0.999};
    for (int i = 0; i < kinds; i++) {
        Class *class = &classes[i];
        qsort(class->responses, (size_t)class->done, sizeof(float), order);
        double total = 0;
        for (long k = 0; k < class->done; k++) total += class->responses[k];
        printf("%.9g", total / (double)class->done);
        for (int k = 0; k < 5; k++) printf(" %.9g", class->responses[(long)(shares[k] * (double)class->done)]);
        printf("\n");
    }
    return 0;
}
