#!/usr/bin/env bash
# Make everything behind the tables of trained agents in papers/arramon.md: tasks, trained agents, their plays.
#
#     tools/arramon_tables.sh FOLDER [MINUTES]
#
# A call ends after MINUTES (8); type it again until it says "done". Finished work is not repeated: tasks that were made
# elsewhere may be copied to FOLDER/data first, and networks are resumed in the middle of an epoch. FOLDER/runs/plays
# has a small file for each agent, seed, split and kind of texts; tables and charts need nothing else.
#
# Order: V/L, ours, L/O, V/O and ours without views with seed 0, then with seeds 1 and 2, then ours with one module for
# both phases, so that every table has a row of each system as early as possible. Last come the agents that are not
# trained; they need no GPU, so that they may better be made elsewhere: STEPS=runs DEVICE=cpu
# ONLY=random-0,random-1,random-2,shortest-0. ONLY also picks the most valuable runs, as in ONLY=vl-0,memory-0.
#
# Memory and time, estimated from one H200's 66,000 rendered and some 90,000 seen pictures of 224 x 224 a second, and
# from a CPU profile; not measured:
# - 67 steps a task: 286,000 views of the 4,267 training tasks, 8 to 10 s for each process that sees
# - their maps in half precision: 7 GB of 7 x 7 cells (V/L, V/O), 29 GB of 14 x 14 (ours); VIEW_MEMORY limits them for
#   each run, and what is beyond is rendered again
# - an epoch of V/L: 533 updates, 5 to 8 s, and as much for the 200 tasks that are played; up to 30 epochs
# - an epoch of ours: 267 to 400 updates, 10 s, later 5 s more for 512 tasks of its own
# - plays of a finished run: a minute; 5 minutes for a run of V/L or ours alone, an hour for all 16, and with
#   PROCESSES=6 about 20 minutes
# - making all tasks: 15 minutes of one core, 1 to 2 minutes of 16
#
# Variables change the defaults, which are those of the page: for a try on a CPU,
#
#     DEVICE=cpu SIZE=20 EPOCHS=1 EVAL_SIZE=4 PROCESSES=1 ONLY=lo-0,random-0 tools/arramon_tables.sh /tmp/try
set -euo pipefail
[ -n "${1:-}" ] || { echo "expected a folder, got none; type: tools/arramon_tables.sh FOLDER [MINUTES]" >&2; exit 2; }
out=$1
end=$(($(date +%s) + ${2:-8} * 60))
bearleft=${BEARLEFT:-bearleft}  # the command, such as "python3 -m bearleft"
steps=${STEPS:-data runs bench} # in this order
device=${DEVICE:-cuda}
size=${SIZE:-}                  # tasks of a split; empty for the paper's numbers
epochs=${EPOCHS:-}              # at most; empty for each network's own
eval_size=${EVAL_SIZE:-}        # tasks of each split that are played at the end; empty for all
only=${ONLY:-}                  # names of runs, separated by commas; empty for all
processes=${PROCESSES:-6}       # runs that share the GPU
view_memory=${VIEW_MEMORY:-32}  # gigabytes of feature maps of each run
backbone=${BACKBONE:-city}      # or a file of ImageNet weights, as in the paper
data=$out/data

source "$(dirname "${BASH_SOURCE[0]}")/timed_calls.sh"

# Train until the named runs are finished, or the time is over.
train() {
    local left=$(((end - $(date +%s)) / 60 - 1))
    [ $left -gt 0 ] || time_over
    run paper arramon --train "$out/runs" --data "$data" --device "$device" --backbone "$backbone" --minutes "$left" \
        --view-memory "$view_memory" ${epochs:+--epochs "$epochs"} ${eval_size:+--eval-size "$eval_size"} "$@" \
        2>&1 | tee "$out/log" >&2
    if grep -q '^left: ' "$out/log"; then time_over; fi
}

has_step() { [[ " $steps " == *" $1 "* ]]; }

if has_step data; then
    run data make city/arramon val_seen val_unseen test_unseen train ${size:+--size "$size"} -o "$data"
fi

if has_step runs; then
    train --processes "$processes" ${only:+--only "$only"}
fi

if has_step bench && [ "$device" = cuda ] && [ ! -s "$out/policy.json" ]; then
    run bench arramon --device cuda --only policy --json > "$out/policy.part"
    mv "$out/policy.part" "$out/policy.json"
fi
echo "done; type: $bearleft paper arramon --results $out/runs/plays --data $data --figures $out/charts"
