#!/bin/sh
# record_row.sh SECTION ROW COLUMN VALUE [UNIT]: appends a row to the record, for a lesson's own step (workbook/recording.py).
# RECORD, RECORD_CARD and RECORD_DATE are set by `make record`.
set -eu
[ -s "$RECORD" ] || echo section,row,column,value,unit,card,date >"$RECORD"
printf '"%s","%s","%s","%s","%s","%s",%s\n' "$1" "$2" "$3" "$4" "${5:-}" "$RECORD_CARD" "$RECORD_DATE" >>"$RECORD"
