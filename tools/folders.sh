# Sourced in the root of the workbook: the folders of the lessons, in their order, one in a line. lesson03b_operators is a further exercise of
# lesson 03: two digits and a letter, and no program.

lesson_folders() { ls -d lessons/lesson[0-9][0-9]_* 2>/dev/null || true; }
further_folders() { ls -d lessons/lesson[0-9][0-9][a-z]_* 2>/dev/null || true; }
all_folders() { (lesson_folders && further_folders) | LC_ALL=C sort; }

folder_numbers() { sed 's|lessons/lesson\([^_]*\)_.*|\1|'; } # of the folders that come in
