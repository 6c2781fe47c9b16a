# Makes the rows of the page's tables from what the program prints on the emulator: the architectures, what fits, what is under way, and the counts.
/^sm_[0-9]+ / && NF >= 10 {
  sub(/ *<- here$/, "")
  example = $2
  for (i = 3; i <= NF - 8; i++) example = example " " $i
  row = "| " $1 " | " example
  for (i = NF - 7; i <= NF; i++) row = row " | " $i
  print row " |"
}
$1 ~ /_kernel[0-9]/ && NF >= 12 {
  limiter = $11
  for (i = 12; i < NF; i++) limiter = limiter " " $i
  print "| " $1 " | " $2 " | " $3 " | " $4 " | | " $5 " | " $6 " | " $7 " | " $8 " | " $9 " | " $10 " | " limiter " |"
}
$1 ~ /_kernel[0-9]/ && ($2 == "bytes" || $2 == "FMAs") { print "| " $1 " | " $3 " | " $4 " | " $5 " | " $6 " | " $7 " |" }
$1 ~ /_kernel[0-9]/ && NF == 6 { print "| " $1 " | | " $2 " |" }
