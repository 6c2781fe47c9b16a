#!/bin/sh
# gradebook.sh OUT ROSTER STUDENTS NUMBERS: what grade.sh makes of OUT/points.csv. ROSTER is a CSV file or empty, the file STUDENTS
# has the names that were graded just now, NUMBERS are the exercises.
#
#     OUT/gradebook.csv               a row for each student: exercises, total, remarks
#     OUT/moodle.csv, OUT/canvas.csv  the same in the shape in which these two import grades
#     OUT/STUDENT/feedback.txt        for the student: points, and what the graders said
#
# Prints `EARNED ALL BELOW`: the points of those graded just now and how many they could be, and how many students have less than all.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh

out=$1 roster=$2 students=$3 numbers=$4

# The remarks of the gradings that points.csv knows: the student, the exercise and the remark, apart by tabs.
list_remarks() {
  for file in "$out"/*/exercise*/remarks.txt; do
    [ -f "$file" ] || continue
    folder=${file%/remarks.txt}
    printf '%s\t%s\t%s\n' "$(basename "${folder%/*}")" "${folder##*/exercise}" "$(cat "$file")"
  done
}

# What the student is to read: nothing of the machine's, and no names of other students.
write_feedback() { # STUDENT
  awk -F, -v who="$1" -f tools/teaching/csv.awk -f /dev/stdin "$out/points.csv" <<'END' || true
    { split_csv($0, field) }
    NR > 1 && field[1] == who {
      printf "exercise %s: %s of %s points, %s (%s of %s checks passed)\n", field[2], field[4], field[5], field[3], field[6], field[7]
      earned += field[4]; all += field[5]
    }
    END { printf "together: %d of %d points\n", earned, all }
END
  for folder in "$out/$1"/exercise*/; do
    [ -d "$folder" ] || continue
    number=$(basename "$folder")
    printf '\n--- exercise %s ---\n' "${number#exercise}"
    [ ! -f "$folder/remarks.txt" ] || printf 'remark: %s\n' "$(cat "$folder/remarks.txt")"
    for said in feedback.txt output.txt; do [ -f "$folder/$said" ] && break; done
    if [ -f "$folder/$said" ]; then cat "$folder/$said"; else echo "nothing was handed in"; fi
  done
}

# A name of the roster as a folder below OUT.
is_folder_name() { case $1 in '' | .* | */*) return 1 ;; esac }

while IFS= read -r student; do
  write_feedback "$student" >"$out/$student/feedback.txt"
done <"$students"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
list_remarks >"$work/remarks"
: >"$work/absent"
awk -v out="$out" -v roster="$roster" -v students="$students" -v remarks="$work/remarks" -v absent_list="$work/absent" -v numbers="$(echo $numbers)" -v most="$GRADE_POINTS" \
  -f tools/teaching/csv.awk -f tools/teaching/gradebook.awk "$out/points.csv"
while IFS= read -r student; do
  is_folder_name "$student" && ! [ -e "$out/$student/feedback.txt" ] || continue
  mkdir -p "$out/$student"
  echo "nothing was handed in: 0 points" >"$out/$student/feedback.txt"
done <"$work/absent"
