# Functions for a script that consists of stages. A stage is a shell function that runs in a process group of its own, in the foreground
# or beside other stages. If a stage fails, the script prints its output, ends all other stages and exits with 1. When the script ends,
# it prints a table with the wall-clock time and the CPU time of each stage.
# Sourced by .ci/run, which sets stage_directory before.
# shellcheck shell=bash disable=SC2154

# Gives each stage a process group, so that a stage can be ended together with the programs that it started.
set -m

declare -A stage_names=() stage_starts=() stage_logs=()
stage_table=$stage_directory/table

# cpu_seconds PID: prints the CPU time that the child processes of a stage used, from the output of the command "times" in its shell.
cpu_seconds() {
    # A stage that was killed wrote no file.
    touch "$stage_directory/cpu.$1"
    tail -n 1 "$stage_directory/cpu.$1" | awk -F '[ms ]+' '{ cpu = ($1 + $3) * 60 + $2 + $4 } END { printf "%d", cpu }'
}

# begin_stage NAME FUNCTION NICENESS LOG: starts a stage whose output goes to the file LOG, or to the output of this script without LOG.
begin_stage() {
    local name=$1 function=$2 niceness=$3 log=$4
    (
        trap 'times > "$stage_directory/cpu.$BASHPID"' EXIT
        renice -n $(($(nice) + niceness)) -p "$BASHPID" > /dev/null
        [ -z "$log" ] || exec > "$log" 2>&1
        "$function"
    ) < /dev/null &
    stage_names[$!]=$name
    stage_starts[$!]=$SECONDS
    stage_logs[$!]=$log
}

# Waits until any stage ends, and prints its times. Exits if the stage failed.
end_any_stage() {
    local pid status=0 times
    wait -n -p pid "${!stage_names[@]}" || status=$?
    times="$((SECONDS - stage_starts[$pid])) $(cpu_seconds "$pid")"
    printf '%s %s %s\n' "${stage_starts[$pid]}" "$times" "${stage_names[$pid]}" >> "$stage_table"
    if [ -n "${stage_logs[$pid]}" ]; then
        printf '\n--- Output of the stage "%s", which ran in the background:\n' "${stage_names[$pid]}"
        cat "${stage_logs[$pid]}"
    fi
    # shellcheck disable=SC2086 # Two arguments.
    printf -- '--- "%s" ended with code %d after %d s, with %d s of CPU time\n' "${stage_names[$pid]}" "$status" $times
    local name=${stage_names[$pid]}
    unset "stage_names[$pid]"
    [ "$status" = 0 ] || { echo "FAILED: $name"; exit 1; }
}

is_running() {
    local name
    for name in "${stage_names[@]}"; do
        [ "$name" != "$1" ] || return 0
    done
    return 1
}

# await NAME: waits until the stage has ended.
await() {
    while is_running "$1"; do
        end_any_stage
    done
}

# Waits until all stages have ended.
await_all() {
    while [ "${#stage_names[@]}" -gt 0 ]; do
        end_any_stage
    done
}

# stage NAME FUNCTION: runs a stage and waits until it has ended.
stage() {
    printf '\n=== %s (after %d s)\n' "$1" "$SECONDS"
    begin_stage "$1" "$2" 0 ''
    await "$1"
}

# background NAME FUNCTION NICENESS: starts a stage that runs beside the next ones. The script prints its output when it has ended.
background() {
    printf '\n=== %s: starts in the background (after %d s)\n' "$1" "$SECONDS"
    begin_stage "$1" "$2" "$3" "$stage_directory/background-$2.log"
}

# Ends all running stages and prints the table. Runs whenever the script exits.
finish_stages() {
    local pid
    for pid in "${!stage_names[@]}"; do
        kill -TERM -- "-$pid" 2> /dev/null || true
        wait "$pid" 2> /dev/null || true
    done
    [ -s "$stage_table" ] || return 0
    printf '\n%6s  %6s  %6s  %s\n' start wall CPU stage
    sort -n "$stage_table" | while read -r start wall cpu name; do
        printf '%4d s  %4d s  %4d s  %s\n' "$start" "$wall" "$cpu" "$name"
    done
    printf '%6s  %4d s  %4d s  %s\n' '' "$SECONDS" "$(awk '{ cpu += $3 } END { print cpu + 0 }' "$stage_table")" total
}
trap finish_stages EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
