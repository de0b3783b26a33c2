#!/bin/sh
# Prints the size of an image by folder, and fails above 450 MB (docs/notes/installation.md): scripts/image/sizes.sh IMAGE|FOLDER.
# FOLDER is a mounted image. ENGINE is the container tool for IMAGE: docker (the default) or podman.
set -eu
image=${1:?name an image, or a folder with its files}
limit=${LIMIT_MB:-450}
measure='
  of() { du --summarize --one-file-system --apparent-size --bytes "$@" 2> /dev/null | sort -rn | while read -r bytes name; do
    printf "%6d MB  %s\n" $(((bytes + 500000) / 1000000)) "$name"
  done; }
  of mediamill/node_modules/* mediamill/node_modules/@*/* mediamill/dist mediamill/docs mediamill/console usr/bin usr/lib | head -n 16
  echo "all: $(($(du --summarize --one-file-system --apparent-size --bytes . 2> /dev/null | cut -f 1) / 1000000)) MB"'
if [ -d "$image" ]; then
  told=$(cd "$image" && sh -c "$measure")
else
  told=$("${ENGINE:-docker}" run --rm --network none --workdir / --entrypoint sh "$image" -c "$measure")
fi
echo "$told"
megabytes=$(echo "$told" | sed -n 's/^all: \([0-9]*\) MB$/\1/p')
if [ "$megabytes" -gt "$limit" ]; then
  echo "The image is larger than $limit MB: leave out what a server does not read, in scripts/image." >&2
  exit 1
fi
