#!/usr/bin/env bash
# Run a command in shares, each in a shell of its own, and join them:
#
#   examples/cluster/shells.sh 4 traces.jsonl eval random town/dev
#   HOSTS="node1 node2" examples/cluster/shells.sh 4 album render city/0 --all
#
# The first two arguments are the number of shares and the output, the others a command without its -o. Shells run on
# this machine, or by ssh on HOSTS, which mount this folder under the same path. If a shell is killed, run the same
# command again: finished shards are kept.
set -euo pipefail

if (($# < 3)); then
    echo "expected SHARES OUTPUT COMMAND..., got: $*. Type: $0 4 traces.jsonl eval random town/dev" >&2
    exit 2
fi
shares=$1 output=$2
shift 2
read -ra hosts <<<"${HOSTS:-}"

shells=()
for ((k = 1; k <= shares; k++)); do
    share=(bearleft "$@" -o "$output" --shard "$k/$shares")
    if ((${#hosts[@]})); then
        ssh "${hosts[(k - 1) % ${#hosts[@]}]}" "cd $(printf %q "$PWD") && $(printf '%q ' "${share[@]}")" &
    else
        "${share[@]}" &
    fi
    shells+=($!)
done

failed=0
for shell in "${shells[@]}"; do
    wait "$shell" || failed=$((failed + 1))
done
if ((failed)); then
    echo "$failed of $shares shells failed. Run the same command again; finished shards are kept." >&2
    exit 1
fi
bearleft gather "$output"
