/* SPDX-License-Identifier: MIT */
/*
 * nbody BODIES STEPS [balanced] - bodies that attract each other, as in tests/bench/nbody.c, in
 * ranks that add up their forces.  Each pair is computed by the rank of its first body; ranks have
 * blocks of bodies, so that the first ranks have most to do, or, balanced, every n-th body.
 *
 * Prints the seconds that the steps took.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n, steps;
static double (*at)[3], (*speed)[3], (*pulled)[3];

static void pull(int i)
{
	for (int k = i + 1; k < n; k++) {
		double d[3], square = 1e-4;

		for (int c = 0; c < 3; c++) {
			d[c] = at[k][c] - at[i][c];
			square += d[c] * d[c];
		}
		double by = 1 / (square * sqrt(square));
		for (int c = 0; c < 3; c++) {
			pulled[i][c] += by * d[c];
			pulled[k][c] -= by * d[c];
		}
	}
}

static void step(int first, int end, int stride)
{
	memset(pulled, 0, (size_t)n * sizeof(*pulled));
	for (int i = first; i < end; i += stride)
		pull(i);
	MPI_Allreduce(MPI_IN_PLACE, pulled, 3 * n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < n; i++)
		for (int c = 0; c < 3; c++) {
			speed[i][c] += 1e-7 * pulled[i][c];
			at[i][c] += 1e-3 * speed[i][c];
		}
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = argc > 1 ? atoi(argv[1]) : 0;
	steps = argc > 2 ? atoi(argv[2]) : 0;
	if (n < 2 || steps < 1) {
		fprintf(stderr, "usage: nbody BODIES STEPS [balanced]\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	at = calloc((size_t)n, sizeof(*at));
	speed = calloc((size_t)n, sizeof(*speed));
	pulled = calloc((size_t)n, sizeof(*pulled));
	for (int i = 0; i < n; i++)
		for (int c = 0; c < 3; c++)
			at[i][c] = (double)rand() / RAND_MAX;
	MPI_Barrier(MPI_COMM_WORLD);
	double begin = MPI_Wtime();
	for (int i = 0; i < steps; i++)
		if (argc > 3)
			step(rank, n, ranks);
		else
			step(n * rank / ranks, n * (rank + 1) / ranks, 1);
	if (rank == 0)
		printf("%.6f\n", MPI_Wtime() - begin);
	MPI_Finalize();
	return 0;
}
