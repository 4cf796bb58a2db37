# A line of at most 79 columns about each candidate: round, task, verdict, and the figures
# for the primary target or the error; below them one about all error/1 records that say
# the same of a task. With --argjson round N, only about the candidates of that round.
# For jq -n: it reads its input itself.

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

def error_row:
  row("-"; .[0] | .record.task.id // .record.id // "-";
      if length > 1 then "error x\(length)" else "error" end; .[0] | "\(.tool): \(.reason)");

$ARGS.named.round as $round
| [inputs]
| (.[] | select(.geak == "candidate/1" and ($round == null or .round == $round))
   | row(.round | tostring; .task.id; .eval.status // "unjudged";
       if .eval.status == "pass" then .eval | speedup + figures
       else .eval.error.message // "" | first_line end)),
  (map(select(.geak == "error/1" and $round == null))
   | group_by([.record.task.id // .record.id, .tool, .reason])[] | error_row)
