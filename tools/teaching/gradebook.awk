# gradebook.awk, after csv.awk: one row for each student from OUT/points.csv, with a roster's names, numbers and addresses. See
# gradebook.sh.

function plain(text) { # Email address, e_mail and EMAIL-ADDRESS are one name
  text = tolower(text)
  gsub(/[^a-z0-9]/, "", text)
  return text
}

# --- the roster ---

# The first of these columns that the roster has, or 0.
function column(names,    name, i, count) {
  count = split(names, name, " ")
  for (i = 1; i <= count; i++) if (name[i] in column_of) return column_of[name[i]]
  return 0
}

function read_head(line,    i, count) {
  sub(/^\357\273\277/, "", line) # the mark with which some spreadsheets begin a file
  separator = line !~ /,/ && line ~ /;/ ? ";" : ","
  count = split_csv(line, field, separator)
  for (i = count; i >= 1; i--) column_of[plain(field[i])] = i
  first_name = column("firstname givenname"); last_name = column("lastname surname familyname")
  name_at = column("name fullname studentname displayname")
  if (!name_at && !first_name) name_at = column("student")
  number_at = column("idnumber sisuserid studentid matriculation number id")
  mail_at = column("email emailaddress mail")
  login_at = column("folder username login user sisloginid githubusername identifier")
  github_at = column("githubusername github")
  canvas_at = column("id"); sis_at = column("sisuserid"); section_at = column("section")
}

function read_person(line,    i, count) {
  count = split_csv(line, field, separator)
  if (line !~ /[^ ,;\r]/ || field[1] ~ /^ *Points Possible/) return
  people++
  for (i = 1; i <= count; i++) cells[people, i] = field[i]
  cell_count[people] = count
  name_of[people] = name_at ? field[name_at] : first_name ? field[first_name] (last_name ? " " field[last_name] : "") : ""
  mail_of[people] = mail_at ? field[mail_at] : ""
  number_of[people] = number_at ? field[number_at] : ""
  login_of[people] = login_at ? field[login_at] : ""
}

function read_roster(    line) {
  if (roster == "") return
  if ((getline line < roster) > 0) read_head(line)
  while ((getline line < roster) > 0) read_person(line)
}

# The person of the roster to whom a folder belongs, or 0: a cell of that row, the full name, what stands before the @ of the
# address, the way in which Moodle names folders (Ada Lovelace_1234_assignsubmission_file_), or a repository whose name ends with
# the account (task-ada).
function person_of(folder,    p, i, low, account) {
  low = tolower(folder)
  sub(/_[0-9]+_assignsubmission.*/, "", low)
  for (p = 1; p <= people; p++) {
    for (i = 1; i <= cell_count[p]; i++) if (cells[p, i] != "" && tolower(cells[p, i]) == low) return p
    if (tolower(name_of[p]) == low || tolower(substr(mail_of[p], 1, index(mail_of[p], "@") - 1)) == low) return p
  }
  for (p = 1; p <= people && github_at; p++) {
    account = tolower(cells[p, github_at])
    if (account != "" && length(low) > length(account) && substr(low, length(low) - length(account)) == "-" account) return p
  }
  return 0
}

# --- rows ---

function add_row(student) {
  if (student in row_of) return row_of[student]
  row_of[student] = ++rows
  student_of[rows] = student
  person[rows] = person_of(student)
  if (person[rows] && taken[person[rows]]) remark(rows, "belongs to the same person as " taken[person[rows]])
  if (person[rows]) taken[person[rows]] = student
  else if (people) remark(rows, "not in the roster")
  return rows
}

function remark(row, text) { remarks_of[row] = remarks_of[row] (remarks_of[row] == "" ? "" : "; ") text }

function add_exercise(number) {
  if (!(number in known)) { known[number]; exercise[++exercises] = number }
}

# A person of the roster without a folder gets 0 points in every exercise that has ever been graded here.
function add_absent(    p, who) {
  for (p = 1; p <= people; p++) {
    if (p in taken) continue
    who = login_of[p] != "" ? login_of[p] : mail_of[p] != "" ? mail_of[p] : name_of[p]
    row_of[who "\n" p] = ++rows
    student_of[rows] = who; person[rows] = p; now[rows] = absent[rows] = 1
    remark(rows, "not_submitted")
    print who > absent_list
  }
}

function sort_exercises(    i, j, moved) {
  for (i = 2; i <= exercises; i++) {
    moved = exercise[i]
    for (j = i - 1; j >= 1 && exercise[j] > moved; j--) exercise[j + 1] = exercise[j]
    exercise[j + 1] = moved
  }
}

function sum_row(row,    e) {
  total[row] = possible[row] = 0
  for (e = 1; e <= exercises; e++) {
    if (!((row, exercise[e]) in points) && (absent[row] || (now[row] && exercise[e] in asked))) points[row, exercise[e]] = 0
    total[row] += points[row, exercise[e]]
    possible[row] += of[exercise[e]]
    if (now[row] && exercise[e] in asked) {
      earned += points[row, exercise[e]]; all += of[exercise[e]]
      if (points[row, exercise[e]] < of[exercise[e]]) below[row]
    }
  }
}

# --- the files ---

function show_points(row,    e, text) {
  for (e = 1; e <= exercises; e++) text = text "," points[row, exercise[e]]
  return text
}

function show_head(word,    e, text) {
  for (e = 1; e <= exercises; e++) text = text "," word " " exercise[e]
  return text
}

function write_gradebook(    row, p, file) {
  file = out "/gradebook.csv"
  print "student,name,id,email" show_head("exercise") ",total,of,remarks" > file
  for (row = 1; row <= rows; row++) {
    p = person[row]
    print csv(student_of[row]) "," csv(name_of[p]) "," csv(number_of[p]) "," csv(mail_of[p]) show_points(row) "," total[row] "," possible[row] "," csv(remarks_of[row]) > file
  }
}

# Moodle asks which column identifies the student: the address, the number or the account.
function write_moodle(    row, p, file) {
  file = out "/moodle.csv"
  print "Username,ID number,Email address" show_head("Exercise") ",Exercises together" > file
  for (row = 1; row <= rows; row++) {
    p = person[row]
    print csv(p && login_of[p] != "" ? login_of[p] : student_of[row]) "," csv(number_of[p]) "," csv(mail_of[p]) show_points(row) "," total[row] > file
  }
}

# Canvas wants these five columns and a second row with the points that can be had.
function write_canvas(    row, p, e, file) {
  file = out "/canvas.csv"
  print "Student,ID,SIS User ID,SIS Login ID,Section" show_head("Exercise") > file
  printf "    Points Possible,,,," > file
  for (e = 1; e <= exercises; e++) printf ",%s", of[exercise[e]] > file
  print "" > file
  for (row = 1; row <= rows; row++) {
    p = person[row]
    print csv(name_of[p] != "" ? name_of[p] : student_of[row]) "," csv(canvas_at ? cells[p, canvas_at] : "") "," csv(sis_at ? cells[p, sis_at] : "") "," \
      csv(p && login_of[p] != "" ? login_of[p] : student_of[row]) "," csv(section_at ? cells[p, section_at] : "") show_points(row) > file
  }
}

BEGIN {
  read_roster()
  count = split(numbers, list, " ")
  for (i = 1; i <= count; i++) { asked[list[i]]; add_exercise(list[i]); of[list[i]] = most + 0 }
}

{ split_csv($0, field) }
FNR > 1 {
  row = add_row(field[1])
  add_exercise(field[2])
  points[row, field[2]] = field[4] + 0
  of[field[2]] = field[5] + 0
  if (field[3] == "not_submitted") remark(row, field[2] " not_submitted")
}

END {
  while ((getline line < students) > 0) now[add_row(line)] = 1
  while ((getline line < remarks) > 0) {
    split(line, part, "\t")
    if (part[1] in row_of) remark(row_of[part[1]], part[2] " " part[3])
  }
  add_absent()
  sort_exercises()
  for (row = 1; row <= rows; row++) sum_row(row)
  write_gradebook()
  write_moodle()
  write_canvas()
  for (row in below) count_below++
  print earned + 0, all + 0, count_below + 0
}
