#!/bin/sh
# Shows what ebb-explore, ebb-reduce, ebb verify and ebb fences do, with programs from this directory. `make demo` runs it;
# by hand, from the root of the repository with the tools on PATH: sh examples/demo.sh
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run EXIT_CODE COMMAND…   shows the command, runs it into $output, and insists on the exit code
run() {
  expected=$1
  shift
  printf '$ %s\n' "$*" | sed "s|$work/||g"
  code=0
  output=$("$@") || code=$?
  if [ "$code" -ne "$expected" ]; then
    printf 'demo: exit code %s where %s was expected: %s\n' "$code" "$expected" "$*" >&2
    exit 1
  fi
}

# The final states of $output: what stands between its first and second empty line.
final_states() {
  printf '%s\n' "$output" | awk '/^$/ { part++; next } part == 1'
}

# The violation of $output, step by step.
violation() {
  printf '%s\n' "$output" | sed -n '/^violation/,$p'
}

headline() {
  printf '%s\n' "$output" | head -n 1
}

# known_states            shows the final states, and keeps them to compare with
known_states() {
  headline
  known=$(final_states)
  printf '%s\n' "$known"
}

# new_states MODEL        shows the final states that are not among the known ones of MODEL
new_states() {
  headline
  found=no
  while IFS= read -r state; do
    case "
$known
" in
      *"
$state
"*) ;;
      *) found=yes; printf '%s     <- not under %s\n' "$state" "$1" ;;
    esac
  done <<STATES
$(final_states)
STATES
  if [ $found = no ]; then printf '  the same final states as under %s\n' "$1"; fi
}

title() {
  printf '\n== %s\n' "$*"
}

# The abstract counterexample of $output.
counterexample() {
  printf '%s\n' "$output" | sed -n '/^an abstract counterexample/,/violated/p'
}

title 'Store buffering: X = 1; r = Y  beside  Y = 1; r = X. Can both read 0?'
run 0 ebb-explore examples/store_buffering.ebb --model sc
known_states
run 1 ebb-explore examples/store_buffering.ebb --model tso
new_states sc
run 1 ebb-explore examples/store_buffering.ebb --model pso
new_states sc
run 0 ebb-explore examples/store_buffering.ebb --model rma
new_states sc

title 'Message passing: Data = 1; Flag = 1  beside  f = Flag; d = Data. Flag without data?'
run 0 ebb-explore examples/message_passing.ebb --model tso
known_states
run 1 ebb-explore examples/message_passing.ebb --model pso
new_states tso

title 'Remote memory: a put of X (2), then X = 3, then a get of what was put, loaded into r'
run 0 ebb-explore examples/rma_fig2.ebb --model sc
known_states
run 1 ebb-explore examples/rma_fig2.ebb --model rma
new_states sc
run 0 ebb-explore examples/rma_fig2_flush.ebb --model rma
new_states sc

title "A shortest violation: Peterson's lock with the fences of TSO, under PSO"
run 1 ebb-explore examples/peterson_tso.ebb --model pso
headline
violation
run 0 ebb-explore examples/peterson_pso.ebb --model pso
headline

title 'The same lock with its memory model taken out: an ordinary program, under sc'
reduced=$work/peterson.pso.ir.json
printf '$ ebb-reduce examples/peterson_tso.ebb --model pso -k 1 | ebb-show - --no-positions\n'
ebb-reduce examples/peterson_tso.ebb --model pso -k 1 -o "$reduced"
ebb-show "$reduced" --no-positions | sed -n '/^process P0/,/^}/p'
printf '$ … | ebb-explore --model sc\n'
code=0
output=$(ebb-explore "$reduced" --model sc) || code=$?
[ "$code" -eq 1 ] || { printf 'demo: exit code %s where 1 was expected\n' "$code" >&2; exit 1; }
headline

title "A proof: Peterson's lock, for ever. Without fences there is none under TSO, but an abstract counterexample"
run 0 ebb verify examples/extrapolation/peterson.ebb --model sc
headline
run 2 ebb verify examples/extrapolation/peterson.ebb --model tso
headline
counterexample

title 'The fences that mend it: where they have to stand, and what goes wrong without the first of them'
run 0 ebb fences examples/extrapolation/peterson.ebb --model tso -o "$work/peterson_fenced.ebb"
first=$(printf '%s\n' "$output" | awk '/^without/ && seen++ { exit } { print }')
printf '%s\n' "$first"

title 'With them it is safe, in runs of any length and with store buffers of any size'
run 0 ebb verify "$work/peterson_fenced.ebb" --model tso
printf '%s\n' "$output"

printf '\nMore programs, with what to expect of each: examples/README.md\n'
