/* SPDX-License-Identifier: MIT */
#include "stats/random.h"

#include <math.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static uint64_t rotate_left(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

void random_seed(struct random *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		seed += 0x9e3779b97f4a7c15;
		uint64_t z = seed;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		r->s[i] = z ^ z >> 31;
	}
}

uint64_t random_next(struct random *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

double random_uniform(struct random *r)
{
	return (double)(random_next(r) >> 11) * 0x1p-53;
}

uint64_t random_below(struct random *r, uint64_t n)
{
	unsigned __int128 product = (unsigned __int128)random_next(r) * n;

	/* The low halves below 2^64 mod n belong to results that would come once too often. */
	if ((uint64_t)product < n)
		while ((uint64_t)product < -n % n)
			product = (unsigned __int128)random_next(r) * n;
	return (uint64_t)(product >> 64);
}

/* A point in the unit disc without its centre: returns its abscissa, *w its squared radius. */
static double point_in_disc(struct random *r, double *w)
{
	for (;;) {
		double u = 2 * random_uniform(r) - 1, v = 2 * random_uniform(r) - 1;

		*w = u * u + v * v;
		if (*w < 1 && *w > 0)
			return u;
	}
}

double random_normal(struct random *r)
{
	double w, u = point_in_disc(r, &w);

	return u * sqrt(-2 * log(w) / w);
}

double random_student(struct random *r, double nu)
{
	double w, u = point_in_disc(r, &w);

	return u * sqrt(nu * expm1(-2 / nu * log(w)) / w);
}

void random_shuffle(struct random *r, size_t *order, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = random_below(r, i), other = order[j];

		order[j] = order[i - 1];
		order[i - 1] = other;
	}
}

uint64_t random_fresh_seed(void)
{
	uint64_t seed;
	struct timespec now;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return seed;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 20;
}
