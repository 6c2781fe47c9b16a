# Sourced after messages.sh: which exercises there are, and where their files lie. Also where a student has lost exercise.cu.

. tools/folders.sh

# The lessons' folders that have an exercise: one whose file, hints or solution is there.
exercise_folders() {
  for folder in $(all_folders); do
    if [ -f "$folder/exercise.cu" ] || [ -f "$folder/exercise.py" ] || [ -f "$folder/exercise.cpp" ] || [ -f "$folder/hints.md" ] ||
      [ -f "solutions/${folder#lessons/}/solution.cu" ]; then
      echo "$folder"
    fi
  done
}

exercise_numbers() { exercise_folders | folder_numbers; }

exercise_folder() { # NUMBER
  exercise_folders | grep "^lessons/lesson$1_" || fail "there is no exercise $1. There are: $(exercise_numbers | tr '\n' ' ')"
}

# What the exercise is written in, as its file's name ends: cu; where the grader is in Python py, unless that says `# exercise: exercise.cpp`.
exercise_suffix() { # NUMBER
  grader=$(exercise_folder "$1")/grader.py
  if ! [ -f "$grader" ]; then echo cu; elif grep -qx '# exercise: exercise.cpp' "$grader"; then echo cpp; else echo py; fi
}

# The student's file.
exercise_file() { echo "$(exercise_folder "$1")/exercise.$(exercise_suffix "$1")"; } # NUMBER

# The complete solution with the gaps marked. A student's copy of the workbook (make student-copy) has none.
exercise_master() { echo "solutions/$(basename "$(exercise_folder "$1")")/solution.$(exercise_suffix "$1")"; } # NUMBER

# Prints the exercise as everybody gets it: from its master, or from what a student's copy has kept for that.
exercise_as_given() { # NUMBER
  kept=tools/given/$(basename "$(exercise_folder "$1")").$(exercise_suffix "$1")
  if [ -f "$(exercise_master "$1")" ]; then
    python3 tools/workbook make_exercise "$(exercise_master "$1")"
  elif [ -f "$kept" ]; then
    cat "$kept"
  else
    fail "neither $(exercise_master "$1") nor $kept is here, so nobody knows how exercise $1 was given."
  fi
}

# Ends the script for an exercise that launches no kernel that a tool could watch.
require_exercise_called() { # NUMBER
  folder=$(exercise_folder "$1")
  if [ -f "$folder/grader.cpp" ]; then
    grep -q 'FUNCTION(' "$folder/grader.cpp" || fail "exercise $1 has no kernel of yours: its file is not compiled. make exercise$1 grades it."
  elif grep -qs '^FORKS = True' "$folder/calls.py"; then
    fail "exercise $1 launches no kernel: its compiler is the grader's. make exercise$1 grades it."
  fi
}

require_exercise_file() { # NUMBER
  [ -f "$(exercise_file "$1")" ] || fail "$(exercise_file "$1") is not here. make exercise$1 reset brings it back as it was given."
}
