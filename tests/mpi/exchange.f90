! SPDX-License-Identifier: MIT
! Calls of MPI in Fortran, a known number of times.
program exchange
  use mpi
  implicit none
  integer, parameter :: steps = 3
  integer :: rank, ranks, step, error, right, left, which
  integer :: request(2)
  integer :: statuses(MPI_STATUS_SIZE, 2)
  logical :: done
  real(8) :: out(100), in(100), total
  integer :: counts(4), at(4), same(4)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  out = rank
  do step = 1, steps
    call MPI_Irecv(in, 100, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, request(1), error)
    call MPI_Isend(out, 100, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, request(2), error)
    call MPI_Waitall(2, request, statuses, error)
    call MPI_Allreduce(out, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  call MPI_Irecv(in, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request(1), error)
  call MPI_Send(out, 50, MPI_DOUBLE_PRECISION, right, 6, MPI_COMM_WORLD, error)
  call MPI_Waitany(1, request, which, MPI_STATUS_IGNORE, error)
  call MPI_Isend(out, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 7, MPI_COMM_WORLD, request(1), error)
  done = .false.
  do while (.not. done)
    call MPI_Test(request(1), done, MPI_STATUS_IGNORE, error)
  end do
  call MPI_Sendrecv(out, 10, MPI_DOUBLE_PRECISION, right, 8, in, 10, MPI_DOUBLE_PRECISION, left, 8, &
       MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Bcast(in, 2, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  counts = (/ 1, 2, 3, 4 /)
  at = (/ 0, 20, 40, 60 /)
  same = rank + 1
  call MPI_Alltoallv(out, counts, at, MPI_DOUBLE_PRECISION, in, same, at, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
  call MPI_Sendrecv_replace(out, 9, MPI_DOUBLE_PRECISION, right, 3, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Scan(out, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program exchange
