# Calls of bearleft that end when a time is over; for scripts that set `end` (in seconds of `date`) and `bearleft`.

time_over() {
    echo "the time is over; type the same command again" >&2
    exit 75
}

run() {
    local left=$((end - $(date +%s))) code=0
    [ $left -gt 0 ] || time_over
    echo "+ $*" >&2
    timeout --signal=INT --kill-after=30 $left $bearleft "$@" || code=$?
    [ $code -ne 124 ] && [ $code -ne 137 ] || time_over
    [ $code -eq 0 ] || exit $code
}
