# A line of at most 79 columns about a candidate: round, task, verdict, and the figures
# for the primary target or the error. With --argjson round N, of that round alone.

def plain: gsub("[\u0000-\u001f\u007f-\u009f]+"; " ");
def fit($n): plain | if length > $n then .[:$n - 3] + "..." else . end;
def pad($n): . + (" " * ($n - length) // "");

# Triton's messages about source begin with the place and end with what is wrong.
def first_line:
  split("\n") | map(select(test("\\S")))
  | if length == 0 then "" elif .[0] | test("^at \\d+:\\d+:") then .[-1] else .[0] end
  | ltrimstr("result: ");

# As the ranking sees several kernels: the worst of each figure, or the sum.
def figures:
  .target as $target
  | [.compile[]? | select(.target == $target and .ok)]
  | if length == 0 then "" else
      "\($target) " + ([
        (map(.vgpr // empty) | max | values | "\(.) VGPR"),
        (map((.spill // 0) + (.sgpr_spill // 0)) | add | select(. > 0) | "\(.) spills"),
        (map(.occupancy // empty) | min | values | "occupancy \(.)"),
        (map((.mfma // 0) + (.wmma // 0)) | add | select(. > 0) | "\(.) MFMA")
      ] | join(", "))
    end;

def speedup: if .perf.speedup then "\(.perf.speedup * 100 | round / 100)x, " else "" end;

def row($round; $task; $verdict; $what):
  (" " * (2 - ($round | length)) // "") + $round + " " + ($task | fit(14) | pad(14)) + " "
  + ($verdict | fit(13) | pad(13)) + " " + ($what | fit(47));

$ARGS.named.round as $round
| if .geak == "candidate/1" then
    select($round == null or .round == $round)
    | row(.round | tostring; .task.id; .eval.status // "unjudged";
        if .eval.status == "pass" then .eval | speedup + figures
        else .eval.error.message // "" | first_line end)
  elif .geak == "error/1" and $round == null then
    row("-"; .record.task.id // .record.id // "-"; "error"; "\(.tool): \(.reason)")
  else empty end
