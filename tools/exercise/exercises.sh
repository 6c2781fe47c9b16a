# Sourced after messages.sh: which exercises there are, and where their files lie. Also where a student has lost exercise.cu.

. tools/folders.sh

# The lessons' folders that have an exercise: one whose file, hints or solution is there.
exercise_folders() {
  for folder in $(all_folders); do
    if [ -f "$folder/exercise.cu" ] || [ -f "$folder/hints.md" ] || [ -f "solutions/${folder#lessons/}/solution.cu" ]; then
      echo "$folder"
    fi
  done
}

exercise_numbers() { exercise_folders | folder_numbers; }

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
