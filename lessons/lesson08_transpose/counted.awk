# Makes the rows of the page's tables of counts from what the program prints on the emulator: for each shape two tables, of five columns and of six.
$2 == "x" && NF == 3 { shape = $1 $2 $3 }
$1 ~ /^transpose_kernel[0-9]+$/ && NF == 5 {
  moved[$1] = "| " $1 " | | " $2 " | | " $3 " | | " $4 " |"
  if (shape == "509x515" && $1 ~ /[6-9]$/) print "| " $1 " | " $2 " | " $3 " |"
  if (shape == "10003x7" && $1 ~ /(1|2|4|6|9|10)$/) print "| " $1 " | " $2 " | " $3 " | " $4 " |"
}
$1 ~ /^transpose_kernel[0-9]+$/ && NF == 6 && shape == "512x512" { print moved[$1] " " $2 " |" }
