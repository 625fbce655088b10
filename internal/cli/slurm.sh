#!/bin/bash
# Samples the chains of {{What}} as tasks of an array. Printed by aibd slurm.
# A trial, on the machine that printed this, took {{Trial}}.
# The limits are about twice that. Options of sbatch override them.
#SBATCH --job-name=aibd
#SBATCH --array={{Array}}
#SBATCH --cpus-per-task=1
#SBATCH --mem={{MB}}M
#SBATCH --time={{Time}}
#SBATCH --signal=B:USR1@{{Margin}}
#SBATCH --requeue
#SBATCH --open-mode=append

cd {{Folder}} || exit
# Before the time limit Slurm sends USR1: the task saves its chain and returns to the queue.
# When Slurm preempts a task it sends TERM to all processes, and requeues the task itself.
trap 'again=yes; kill -TERM $task' USR1
trap : TERM
{{Command}} &
task=$!
# A signal ends wait early.
while wait $task; status=$?; kill -0 $task 2>/dev/null; do :; done
# Status 75: an earlier process of this task still has the chain, as after a lost network.
if [ -n "$again" ] && [ $status = 130 ] || [ $status = 75 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit $status
