/* Simulation of an open network, customer by customer; figures of each class: mean and percentiles of response.
 *
 * Standard input, numbers in this order:
 *   stations   how many; of each: discipline, servers
 *   classes    how many; of each: arrival rate, priority (more goes first), how many routes;
 *              of each route: probability, how many visits; of each visit: station, mean service time, its scv
 *   arrivals   how many are measured, after a twentieth as many to warm up
 *   seed       of the random numbers
 *
 * Standard output, a line for each class: the mean response, and the times within which 50, 90, 95, 99 and 99.9 % of
 * the customers are answered.
 */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_STATIONS = 16, MAX_CLASSES = 8, MAX_ROUTES = 8, MAX_VISITS = 24, PRIORITIES = 8 };
enum { WARM_UP = 20 }; /* One over the share of arrivals that is not measured. */
enum { NOBODY = -1 };

typedef enum { FCFS, PRIORITY, PREEMPTIVE, SHARED, DELAY } Discipline;

static const double PERCENTILES[] = {0.5, 0.9, 0.95, 0.99, 0.999};

/* ---- What is simulated ---- */

typedef struct {
    int station;
    double mean, scv;
} Visit;

typedef struct {
    int length;
    Visit visits[MAX_VISITS];
} Route;

typedef struct {
    int priority;
    int route_count;
    double probabilities[MAX_ROUTES];
    Route routes[MAX_ROUTES];
    double *responses; /* Of those that are done, at most as many as arrivals are measured. */
    long done;
} Class;

/* Customers are known by their index in `customers`. */
typedef struct {
    int first, last;
} Queue;

typedef struct {
    Discipline discipline;
    int servers;
    Queue waiting[PRIORITIES];
    int *serving; /* Customers in service, in no order. */
    int busy;     /* How many those are. */
    long version; /* Of the next departure from shared service: changes whenever customers come or go. */
    double given; /* Shared service: seconds, to a customer who would be there ever since the station was empty. */
    double since; /* Shared service: when that was brought up to date. */
} Station;

typedef struct {
    Class *class;
    const Route *route;
    int visit;
    double arrived;
    double began; /* When its service began, or went on after an interruption. */
    double work;  /* Seconds of service left; in shared service, what the station has `given` when it is done. */
    int next;     /* Behind it in its queue, or among those that are free. */
    long version; /* Of its departure: changes when that happens, or is put off. */
} Customer;

static int station_count, class_count;
static Station stations[MAX_STATIONS];
static Class classes[MAX_CLASSES];
static double rates[MAX_CLASSES];
static double total_rate;
static Customer *customers;
static int customer_count;
static int free_customer = NOBODY;
static long measured;
static double now;

static void fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static void *allocated(long count, size_t size) {
    void *result = calloc(count, size);
    if (!result) fail("out of memory");
    return result;
}

/* ---- Random numbers ---- */

static uint64_t state[4];

static uint64_t rotated(uint64_t bits, int left) {
    return (bits << left) | (bits >> (64 - left));
}

/* xoshiro256** of Blackman and Vigna. */
static uint64_t random_bits(void) {
    uint64_t result = rotated(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotated(state[3], 45);
    return result;
}

static void seed_random(long seed) {
    state[0] = seed * 0x9E3779B97F4A7C15ull + 1;
    state[1] = seed ^ 0xBF58476D1CE4E5B9ull;
    state[2] = seed * 77 + 13;
    state[3] = 0x94D049BB133111EBull;
    for (int i = 0; i < 100; i++) random_bits(); /* Seeds that differ by little begin alike. */
}

/* Between 0 and 1, never one of them. */
static double uniform(void) {
    return ((random_bits() >> 11) + 0.5) / 9007199254740992.0;
}

/* Of mean 1. */
static double exponential(void) {
    return -log(uniform());
}

/* Two phases with balanced means, for an scv above 1. */
static double hyperexponential(double mean, double scv) {
    double first = (1 + sqrt((scv - 1) / (scv + 1))) / 2;
    double share = uniform() < first ? first : 1 - first;
    return mean * exponential() / (2 * share);
}

/* A mixture of Erlang times of k - 1 and k phases, for an scv between 1/k and 1/(k - 1). */
static double mixed_erlang(double mean, double scv) {
    int most = (int)ceil(1 / scv - 1e-9);
    if (most < 2) most = 2;
    double fewer = (most * scv - sqrt(fmax(most * (1 + scv) - most * (double)most * scv, 0))) / (1 + scv);
    if (fewer < 0) fewer = 0;
    if (fewer > 1) fewer = 1;
    int phases = uniform() < fewer ? most - 1 : most;
    double sum = 0;
    for (int i = 0; i < phases; i++) sum += exponential();
    return mean * sum / (most - fewer);
}

static double service_time(const Visit *visit) {
    const double near = 1e-6;
    if (visit->scv <= 0) return visit->mean;
    if (visit->scv > 1 + near) return hyperexponential(visit->mean, visit->scv);
    if (visit->scv > 1 - near) return visit->mean * exponential();
    return mixed_erlang(visit->mean, visit->scv);
}

/* An index, as often as its weight is of the sum of all, which is `sum`. */
static int chosen(const double *weights, int count, double sum) {
    double point = uniform() * sum;
    int index = 0;
    while (index < count - 1 && point > weights[index]) point -= weights[index++];
    return index;
}

/* ---- Events: a binary heap, the next one first ---- */

typedef enum { ARRIVAL, DEPARTURE, SHARED_DEPARTURE } EventKind;

typedef struct {
    double time;
    EventKind kind;
    int subject;  /* The customer of a departure, the station of one from shared service. */
    long version; /* Of the subject; where that has another by now, the event is no longer due. */
} Event;

static Event *events;
static int event_count, event_room;

static void schedule(double delay, EventKind kind, int subject, long version) {
    if (event_count == event_room) {
        event_room = event_room ? 2 * event_room : 1024;
        events = realloc(events, event_room * sizeof *events);
        if (!events) fail("out of memory");
    }
    Event event = {now + delay, kind, subject, version};
    int hole = event_count++;
    while (hole > 0) {
        int parent = (hole - 1) / 2;
        if (events[parent].time <= event.time) break;
        events[hole] = events[parent];
        hole = parent;
    }
    events[hole] = event;
}

static Event next_event(void) {
    Event result = events[0];
    Event last = events[--event_count];
    int hole = 0;
    for (int child = 1; child < event_count; child = 2 * hole + 1) {
        if (child + 1 < event_count && events[child + 1].time < events[child].time) child++;
        if (last.time <= events[child].time) break;
        events[hole] = events[child];
        hole = child;
    }
    events[hole] = last;
    return result;
}

/* ---- Queues ---- */

static void put_last(Queue *queue, int customer) {
    customers[customer].next = NOBODY;
    if (queue->last == NOBODY) queue->first = customer;
    else customers[queue->last].next = customer;
    queue->last = customer;
}

static void put_first(Queue *queue, int customer) {
    customers[customer].next = queue->first;
    queue->first = customer;
    if (queue->last == NOBODY) queue->last = customer;
}

/* Takes the first customer of the highest priority from its queue. */
static int take_first(Station *station) {
    for (int priority = PRIORITIES - 1; priority >= 0; priority--) {
        Queue *queue = &station->waiting[priority];
        if (queue->first == NOBODY) continue;
        int customer = queue->first;
        queue->first = customers[customer].next;
        if (queue->first == NOBODY) queue->last = NOBODY;
        return customer;
    }
    return NOBODY;
}

/* ---- Service one by one: first come first served, and priorities ---- */

static void schedule_departure(int customer) {
    Customer *served = &customers[customer];
    schedule(served->work, DEPARTURE, customer, ++served->version);
}

static void begin_service(Station *station, int customer) {
    customers[customer].began = now;
    station->serving[station->busy++] = customer;
    schedule_departure(customer);
}

/* Takes the customer from service that has this index there. */
static int end_service(Station *station, int index) {
    int customer = station->serving[index];
    station->serving[index] = station->serving[--station->busy];
    return customer;
}

/* Where the customer is served who is interrupted first: that of the lowest priority, and of those the one whose
 * service began last. NOBODY where all have at least this priority. */
static int interrupted(const Station *station, int priority) {
    int result = NOBODY;
    int lowest = priority;
    double latest = 0;
    for (int index = 0; index < station->busy; index++) {
        const Customer *served = &customers[station->serving[index]];
        int other = served->class->priority;
        if (other < lowest || (result != NOBODY && other == lowest && served->began > latest)) {
            result = index;
            lowest = other;
            latest = served->began;
        }
    }
    return result;
}

static void interrupt(Station *station, int index) {
    int customer = end_service(station, index);
    Customer *served = &customers[customer];
    served->work -= now - served->began;
    served->version++;
    put_first(&station->waiting[served->class->priority], customer);
}

static void enter_queue(Station *station, int customer) {
    int priority = station->discipline == FCFS ? 0 : customers[customer].class->priority;
    if (station->busy == station->servers && station->discipline == PREEMPTIVE) {
        int index = interrupted(station, priority);
        if (index != NOBODY) interrupt(station, index);
    }
    if (station->busy < station->servers) begin_service(station, customer);
    else put_last(&station->waiting[priority], customer);
}

static void leave_queue(Station *station, int customer) {
    int index = 0;
    while (station->serving[index] != customer) index++;
    end_service(station, index);
    int next = take_first(station);
    if (next != NOBODY) begin_service(station, next);
}

/* ---- Shared service ---- */

/* Seconds of service that each customer receives per second. */
static double pace(const Station *station) {
    return station->busy <= station->servers ? 1.0 : (double)station->servers / station->busy;
}

static void bring_up_to_date(Station *station) {
    if (station->busy) station->given += pace(station) * (now - station->since);
    station->since = now;
}

/* Where the customer is served who departs first. */
static int first_done(const Station *station) {
    int result = 0;
    for (int index = 1; index < station->busy; index++) {
        if (customers[station->serving[index]].work < customers[station->serving[result]].work) result = index;
    }
    return result;
}

static void schedule_shared_departure(Station *station) {
    station->version++;
    if (!station->busy) return;
    double left = customers[station->serving[first_done(station)]].work - station->given;
    schedule(left / pace(station), SHARED_DEPARTURE, (int)(station - stations), station->version);
}

static void enter_shared(Station *station, int customer) {
    bring_up_to_date(station);
    customers[customer].work += station->given;
    station->serving[station->busy++] = customer;
    schedule_shared_departure(station);
}

static int leave_shared(Station *station) {
    bring_up_to_date(station);
    int customer = end_service(station, first_done(station));
    if (!station->busy) station->given = 0;
    schedule_shared_departure(station);
    return customer;
}

/* ---- Customers ---- */

static const Visit *current_visit(const Customer *customer) {
    return &customer->route->visits[customer->visit];
}

static int new_customer(void) {
    if (free_customer == NOBODY) return customer_count++;
    int customer = free_customer;
    free_customer = customers[customer].next;
    return customer;
}

static void answer(int customer) {
    Customer *answered = &customers[customer];
    Class *class = answered->class;
    if (class->done < measured) class->responses[class->done++] = now - answered->arrived;
    answered->next = free_customer;
    free_customer = customer;
}

/* Begins the visit that the customer has come to, if any is left. */
static void enter(int customer) {
    Customer *entering = &customers[customer];
    if (entering->visit == entering->route->length) {
        answer(customer);
        return;
    }
    const Visit *visit = current_visit(entering);
    Station *station = &stations[visit->station];
    entering->work = service_time(visit);
    if (station->discipline == DELAY) schedule_departure(customer);
    else if (station->discipline == SHARED) enter_shared(station, customer);
    else enter_queue(station, customer);
}

static void go_on(int customer) {
    customers[customer].visit++;
    enter(customer);
}

/* ---- What happens ---- */

static void schedule_arrival(void) {
    schedule(exponential() / total_rate, ARRIVAL, 0, 0);
}

static void arrive(void) {
    schedule_arrival();
    Class *class = &classes[chosen(rates, class_count, total_rate)];
    const Route *route = &class->routes[chosen(class->probabilities, class->route_count, 1)];
    int customer = new_customer();
    Customer *arriving = &customers[customer];
    arriving->class = class;
    arriving->route = route;
    arriving->visit = 0;
    arriving->arrived = now;
    enter(customer);
}

static void depart(int customer, long version) {
    Customer *departing = &customers[customer];
    if (departing->version != version) return;
    departing->version++;
    Station *station = &stations[current_visit(departing)->station];
    if (station->discipline != DELAY) leave_queue(station, customer);
    go_on(customer);
}

static void depart_shared(Station *station, long version) {
    if (station->version == version) go_on(leave_shared(station));
}

static void simulate(void) {
    long warm_up = measured / WARM_UP;
    schedule_arrival();
    for (long arrivals = 0; arrivals < measured + warm_up;) {
        Event event = next_event();
        now = event.time;
        switch (event.kind) {
        case ARRIVAL:
            if (arrivals++ == warm_up) {
                for (int index = 0; index < class_count; index++) classes[index].done = 0;
            }
            arrive();
            break;
        case DEPARTURE:
            depart(event.subject, event.version);
            break;
        case SHARED_DEPARTURE:
            depart_shared(&stations[event.subject], event.version);
            break;
        }
    }
}

/* ---- Input and output ---- */

static double read_number(void) {
    double value;
    if (scanf("%lf", &value) != 1) fail("expected another number");
    return value;
}

static long read_integer(long least, long most) {
    long value;
    if (scanf("%ld", &value) != 1 || value < least || value > most) fail("expected another integer");
    return value;
}

static void read_route(Route *route) {
    route->length = (int)read_integer(0, MAX_VISITS);
    for (int index = 0; index < route->length; index++) {
        Visit *visit = &route->visits[index];
        visit->station = (int)read_integer(0, station_count - 1);
        visit->mean = read_number();
        visit->scv = read_number();
    }
}

static void read_network(void) {
    station_count = (int)read_integer(1, MAX_STATIONS);
    for (int index = 0; index < station_count; index++) {
        stations[index].discipline = (Discipline)read_integer(FCFS, DELAY);
        stations[index].servers = (int)read_integer(1, INT_MAX);
    }
    class_count = (int)read_integer(1, MAX_CLASSES);
    for (int index = 0; index < class_count; index++) {
        Class *class = &classes[index];
        total_rate += rates[index] = read_number();
        class->priority = (int)read_integer(0, PRIORITIES - 1);
        class->route_count = (int)read_integer(1, MAX_ROUTES);
        for (int way = 0; way < class->route_count; way++) {
            class->probabilities[way] = read_number();
            read_route(&class->routes[way]);
        }
    }
}

/* There are never more customers than have arrived. */
static void make_room(void) {
    long most = measured + measured / WARM_UP;
    customers = allocated(most, sizeof *customers);
    for (int index = 0; index < class_count; index++) {
        classes[index].responses = allocated(measured, sizeof *classes[index].responses);
    }
    for (int index = 0; index < station_count; index++) {
        Station *station = &stations[index];
        station->serving = allocated(most, sizeof *station->serving);
        for (int priority = 0; priority < PRIORITIES; priority++) station->waiting[priority] = (Queue){NOBODY, NOBODY};
    }
}

static int ascending(const void *one, const void *other) {
    double first = *(const double *)one, second = *(const double *)other;
    return (first > second) - (first < second);
}

static void print_figures(Class *class) {
    double sum = 0;
    for (long index = 0; index < class->done; index++) sum += class->responses[index];
    printf("%.9g", sum / class->done);
    qsort(class->responses, class->done, sizeof *class->responses, ascending);
    for (size_t index = 0; index < sizeof PERCENTILES / sizeof *PERCENTILES; index++) {
        printf(" %.9g", class->responses[(long)(PERCENTILES[index] * class->done)]);
    }
    printf("\n");
}

int main(void) {
    read_network();
    measured = read_integer(1, INT_MAX);
    seed_random(read_integer(0, INT_MAX));
    make_room();
    simulate();
    for (int index = 0; index < class_count; index++) print_figures(&classes[index]);
    return 0;
}
