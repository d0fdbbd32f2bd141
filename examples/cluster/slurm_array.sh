#!/usr/bin/env bash
# Submit a command as a Slurm job array of shares, and a dependent job that joins them. Type on a login node:
#
#   examples/cluster/slurm_array.sh 64 album render city/0 --all
#   SBATCH_PARTITION=cpu SBATCH_TIMELIMIT=4:00:00 examples/cluster/slurm_array.sh 64 traces.jsonl eval random town/dev
#
# The first two arguments are the number of shares and the output, the others a command without its -o. The output lies
# in a folder that all nodes share. The second job runs if all shares have succeeded. If one failed, run the same
# command again: finished shards are kept.
set -euo pipefail

if (($# < 3)); then
    echo "expected SHARES OUTPUT COMMAND..., got: $*. Type: $0 64 traces.jsonl eval random town/dev" >&2
    exit 2
fi
shares=$1 output=$2
shift 2

command=$(printf '%q ' bearleft "$@" -o "$output")
# Slurm sets the variables in each task of the array.
array=$(sbatch --parsable --job-name=bearleft --array="1-$shares" --cpus-per-task="${CPUS:-4}" --requeue \
    --wrap "$command"'--shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"')
joining=$(sbatch --parsable --job-name=bearleft-gather --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
    --wrap "$(printf '%q ' bearleft gather "$output")")
echo "Submitted $shares shares as job ${array%%;*}, and joining as job ${joining%%;*}."
