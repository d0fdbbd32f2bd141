#!/usr/bin/env bash
# Submit a command as a job to a Ray cluster that runs; it goes on when this shell ends:
#
#   examples/cluster/ray_job.sh http://HEAD:8265 /shared/work render city/0 --all -o album
#   examples/cluster/ray_job.sh http://HEAD:8265 /shared/work data make city/sdr train -o data
#
# The first two arguments are the address of the cluster's dashboard and a folder that all nodes share; the others a
# command with its output in that folder. `ray job submit` is part of ray[default]. If the job or its node is lost, run
# the same command again: finished shards are kept.
set -euo pipefail

if (($# < 3)); then
    echo "expected ADDRESS FOLDER COMMAND..., got: $*. Type: $0 http://HEAD:8265 \$PWD render city/0 --all -o album" >&2
    exit 2
fi
address=$1 folder=$2
shift 2

ray job submit --address "$address" --no-wait -- \
    bash -c "cd $(printf %q "$folder") && $(printf '%q ' bearleft "$@" --ray auto)"
