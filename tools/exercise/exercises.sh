# Sourced after messages.sh: which exercises there are, and where their files lie. Also where a student has lost exercise.cu.

# The lessons' folders that have an exercise: one whose file, hints or solution is there. lesson03b_operators is a further exercise of lesson 03.
exercise_folders() {
  for folder in lessons/lesson[0-9][0-9]_* lessons/lesson[0-9][0-9][a-z]_*; do
    if [ -f "$folder/exercise.cu" ] || [ -f "$folder/hints.md" ] || [ -f "solutions/${folder#lessons/}/solution.cu" ]; then
      echo "$folder"
    fi
  done | LC_ALL=C sort
}

exercise_numbers() { exercise_folders | sed 's|lessons/lesson\([^_]*\)_.*|\1|'; }

exercise_folder() { # NUMBER
  exercise_folders | grep "^lessons/lesson$1_" || fail "there is no exercise $1. There are: $(exercise_numbers | tr '\n' ' ')"
}

# The complete solution with the gaps marked. A student's copy of the workbook (make student-copy) has none.
exercise_master() { echo "solutions/$(basename "$(exercise_folder "$1")")/solution.cu"; } # NUMBER

# Prints the exercise as everybody gets it: from its master, or from what a student's copy has kept for that.
exercise_as_given() { # NUMBER
  kept=tools/given/$(basename "$(exercise_folder "$1")").cu
  if [ -f "$(exercise_master "$1")" ]; then
    sh tools/compile/build_tool.sh make_exercise
    build/tools/make_exercise "$(exercise_master "$1")"
  elif [ -f "$kept" ]; then
    cat "$kept"
  else
    fail "neither $(exercise_master "$1") nor $kept is here, so nobody knows how exercise $1 was given."
  fi
}
