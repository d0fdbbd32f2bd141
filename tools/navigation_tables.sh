#!/usr/bin/env bash
# Make everything behind the navigation tables of papers/touchdown.md: data, trained systems, walks, the complete task.
#
#     tools/navigation_tables.sh FOLDER [MINUTES]
#
# A call ends after MINUTES (8); type it again until it says "done". Finished work is not repeated. Variables change the
# defaults, which are those of the page: for a try on a CPU,
#
#     DEVICE=cpu BLOCKS=4x5 CITIES=1 TRAIN=40 OTHER_TRAIN=40 SPLIT=20 PAIRS=20 ONLY=rconcat-no-image-0 POINTERS= \
#         tools/navigation_tables.sh /tmp/try
set -euo pipefail
[ -n "${1:-}" ] || { echo "expected a folder, got none; type: tools/navigation_tables.sh FOLDER [MINUTES]" >&2; exit 2; }
out=$1
end=$(($(date +%s) + ${2:-8} * 60))
bearleft=${BEARLEFT:-bearleft}        # the command, such as "python3 -m bearleft"
steps=${STEPS:-data runs streets complete} # in this order; data are those of runs and the complete task
device=${DEVICE:-cuda}
blocks=${BLOCKS:-8x40}                # avenues and streets of the cities
cities=${CITIES-1 2 3}                # seeds of further cities to train in; city 0 is evaluated, city 9 never trained in
train=${TRAIN:-40000}                 # walks in city 0
other_train=${OTHER_TRAIN:-24000}     # walks in each of the others
split=${SPLIT:-}                      # episodes of an evaluated split; empty for the paper's numbers
pairs=${PAIRS:-3000}                  # minimal pairs of a kind
point_pairs=${POINT_PAIRS:-2400}      # minimal pairs of descriptions; a quarter of it of above and below, which are rare
street_train=${STREET_TRAIN:-16000}   # walks of each kind on Touchdown's streets
only=${ONLY:-}                        # names of runs, separated by commas; empty for all
street_only=${STREET_ONLY-compass-no-image-0,compass-no-image-1,compass-no-image-2,orar-no-image-0,orar-no-image-1,orar-no-image-2}
pointers=${POINTERS-lingunet bearing} # pointing networks of the complete task
pipelines=${PIPELINES-rconcat-0+lingunet-0 compass-0+bearing-0 compass-0+lingunet-0 gold+lingunet-0 gold+bearing-0}
processes=${PROCESSES:-4}             # runs that share the GPU
real=${BEARLEFT_DATA:-}               # folder of real data; where it is not set, nothing is done on Touchdown's streets

source "$(dirname "${BASH_SOURCE[0]}")/timed_calls.sh"

# Arguments: folder under FOLDER, dataset, and options.
make_data() {
    run data make "${@:2}" --device "$device" -o "$out/$1"
}

# Train until all runs are finished, or the time is over.
paper() {
    local left=$(((end - $(date +%s)) / 60 - 1))
    [ $left -gt 0 ] || time_over
    run paper touchdown "$@" --device "$device" --minutes "$left" 2>&1 | tee "$out/log" >&2
    if grep -q '^left: ' "$out/log"; then time_over; fi
}

has_step() { [[ " $steps " == *" $1 "* ]]; }

size() { [ -z "$1" ] || echo "--size $1"; }

evaluated="dev test dev_unseen test_unseen"
train_file=city/touchdown/episodes/train.jsonl
datasets=$out/city-0/$train_file
for seed in $cities; do datasets=$datasets,$out/city-$seed/$train_file; done

if has_step data; then
    make_data city-0 city/touchdown $evaluated --world "city/0/$blocks" $(size "$split")
    make_data city-0 city/touchdown train --world "city/0/$blocks" --size "$train"
    for seed in $cities; do
        make_data "city-$seed" city/touchdown train --world "city/$seed/$blocks" --size "$other_train"
    done
    make_data city-0 city/pairs turn-left-right first-second-crossing --world "city/0/$blocks" --size "$pairs"
    make_data city-9 city/touchdown test_unseen --world "city/9/$blocks" $(size "$split")
    if [ -n "$pointers" ]; then
        make_data city-0 city/sdr $evaluated --world "city/0/$blocks" $(size "$split")
        make_data city-0 city/sdr train --world "city/0/$blocks" --size "$train"
        make_data city-0 city/pairs left-right first-second colour count --world "city/0/$blocks" --size "$point_pairs"
        make_data city-0 city/pairs above-below --world "city/0/$blocks" --size $((point_pairs / 4))
    fi
fi

if has_step runs; then
    paper --train-navigation "$out/runs" --data "$out/city-0" --datasets "$datasets" --other-city "$out/city-9" \
        --processes "$processes" ${only:+--only "$only"}
fi

if has_step streets && [ -n "$real" ]; then
    streets="--style loose --world touchdown --city 0 --data $real"
    make_data streets-north city/touchdown $evaluated $streets --size "${split:-500}"
    make_data streets-north city/touchdown train $streets --size "$street_train"
    make_data streets-route city/touchdown train $streets --size "$street_train" --facing route
    paper --train-navigation "$out/street-runs" --data "$out/streets-north" --only "$street_only" --city 0 \
        --datasets "$out/streets-north/$train_file,$out/streets-route/$train_file" --processes "$processes"
fi

if has_step complete && [ -n "$pointers" ]; then
    names=$(for network in $pointers; do printf '%s-0,' "$network"; done)
    paper --train "$out/pointers" --data "$out/city-0" --epoch-size 12500 --only "${names%,}"
    mkdir -p "$out/complete"
    for pipeline in $pipelines; do
        walker=${pipeline%+*} pointer=${pipeline#*+}
        [ "$walker" = gold ] || walker=$out/runs/$walker/best.pt
        [ -s "$out/complete/$pipeline.jsonl" ] || run eval "$walker+$out/pointers/$pointer/best.pt" \
            city/touchdown-complete/test_unseen --data "$out/city-0" --device "$device" -o "$out/complete/$pipeline.jsonl"
    done
fi
echo "done; type: $bearleft paper touchdown --navigation-results $out/runs/walks --data $out/city-0 --other-city $out/city-9"
