#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/fleet by srun of Slurm, and in a job of sbatch: two nodes, which are daemons on this host, are measured, and one
# without a daemon is named.  Skipped without Slurm.
. "$(dirname "$0")/tap.sh"
PATH=$PATH:/usr/sbin

all() { for name; do command -v "$name" >/dev/null || return 1; done; }
if [ "$(id -u)" != 0 ] || ! all slurmctld slurmd srun sbatch parallel; then
	skip "Slurm's daemons need root and the packages slurm-wlm and parallel"
	done_testing
	exit
fi
export SLURM_CONF="$tmp/slurm.conf" OSVEC_LOCK="$tmp/lock" TMPDIR="$tmp"
host=$(hostname -s)
cat >"$SLURM_CONF" <<X
ClusterName=osvec
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=16817
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$tmp/state
SlurmctldPidFile=$tmp/controller.pid
SlurmctldLogFile=$tmp/controller.log
SlurmdSpoolDir=$tmp/%n
SlurmdPidFile=$tmp/%n.pid
SlurmdLogFile=$tmp/%n.log
ProctrackType=proctrack/linuxproc
SwitchType=switch/none
TaskPlugin=task/none
MpiDefault=none
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=16818
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=16819
NodeName=off NodeHostname=$host NodeAddr=127.0.0.1 Port=16820
PartitionName=all Nodes=ALL Default=YES
X
daemons=
finish() {
	[ -z "$daemons" ] || kill $daemons
	wait
	rm -rf "$tmp"
}
trap finish EXIT

mkdir "$tmp/state" "$tmp/one" "$tmp/two" "$tmp/a fleet"
cp -R scripts "$tmp/a fleet"
for daemon in slurmctld 'slurmd -N one' 'slurmd -N two'; do
	$daemon -D >>"$tmp/err" 2>&1 &
	daemons="$daemons $!"
done
tries=0
until [ "$(sinfo -h -N -t idle -n one,two -o %N | sort -u | wc -l)" = 2 ] || [ $tries = 60 ]; do
	tries=$((tries + 1))
	sleep 0.5
done
if [ $tries = 60 ]; then
	skip "Slurm does not start here: $(grep -h error "$tmp"/*.log "$tmp/err" | tail -1)"
	done_testing
	exit
fi

echo 'set processes 2
lat_syscall getppid' >"$tmp/suite"
# One at a time, since both are this host.
check 1 "fleet by srun" "$tmp/a fleet/scripts/fleet" -j 1 -t 2 -l "$tmp/log" -r 'srun --quiet --immediate=5 -N1 -w {}' \
	"$build/bin/hbench" "$tmp" "$tmp/suite" --budget=2s -- one two off
says "fleet: off was not measured" "the node without a daemon is named"
lacks "one was not" "the first is not"
lacks "two was not" "the second is not"
# came_back: whether both have a vector, which it removes.
came_back() {
	for node in one two; do
		grep -q '"lat_syscall_getppid"' "$tmp/a fleet/results/reference/$node/osvec.json"
		ok $? "the vector of $node came back"
	done
	rm -rf "$tmp/a fleet/results"
}
came_back
check 0 "fleet in a job" sbatch --wait -N2 -w one,two -D "$tmp/a fleet" -o "$tmp/job" --wrap "scripts/fleet -j 1 -l '$tmp/log' \
	-r 'srun --quiet -N1 -w {}' '$build/bin/hbench' '$tmp' '$tmp/suite' --budget=2s -- \$(scontrol show hostnames)"
came_back
done_testing
