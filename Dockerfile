# One image for every role: `serve` by default, or `api`, `worker`, `account create …`.

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /mediamill
COPY package.json package-lock.json ./
COPY lab/package.json lab/
COPY packages/cli/package.json packages/cli/
COPY packages/conformance/package.json packages/conformance/
COPY packages/contract/package.json packages/contract/
COPY packages/engines/package.json packages/engines/
COPY packages/media/package.json packages/media/
COPY packages/sdk/package.json packages/sdk/
COPY packages/server/package.json packages/server/
RUN npm ci
COPY . .
RUN apt-get update && apt-get install -y --no-install-recommends binutils icu-devtools
# Sets the commit that `mediamill --version` prints: docker build --build-arg COMMIT="$(git rev-parse HEAD)" .
ARG COMMIT=
# Removes files that no server reads from the packages (docs/notes/installation.md), then checks that every imported module exists.
RUN npm run prepack && cp node_modules/node/node_modules/node-linux-*/LICENSE node_modules/node/ \
  && mkdir -p /tools/node_modules && cp -r node_modules/esbuild node_modules/@esbuild /tools/node_modules/ \
  && npm prune --omit=dev && node bin/leave-out.js \
  && scripts/image/trim-modules.sh && scripts/image/trim-icu.sh \
  && node scripts/image/check-imports.ts /mediamill /tools

# From Debian, the image contains only a C library, a shell, the sandbox, and an init. It has no package manager and no second Node.js.
FROM debian:bookworm-20261005-slim@sha256:7c7b2c966bc9ee8cedfeef67e0e279108992c77681fa595db4a9d65c06ccc587 AS system
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates libstdc++6 tini \
  && useradd --uid 1000 --no-create-home mediamill
COPY scripts/image/system.sh /
RUN sh /system.sh && install -d -o mediamill -g mediamill -m 700 /system/data

# Node.js comes from node_modules, so the image has the version that the tests ran on. The build stage may have another version.
FROM scratch
COPY --from=system /system /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /mediamill
COPY --from=build /mediamill/node_modules node_modules
COPY --from=build /mediamill/package.json package.json
COPY --from=build /mediamill/bin bin
COPY --from=build /mediamill/dist dist
COPY --from=build /mediamill/console/dist console/dist
# The documentation that the service serves.
COPY --from=build /mediamill/docs docs
COPY deploy deploy
COPY packages/sdk/*.md packages/sdk/
COPY CHANGELOG.md CONTRIBUTING.md SECURITY.md compose.yaml ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
USER mediamill
VOLUME /data
EXPOSE 8080
# Requests /readyz with Perl, because starting Node.js takes 0.1 s of CPU time. A worker does not listen on PORT: set METRICS_PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["perl", "-e", "socket $s, 2, 1, 0; connect $s, pack(\"Sna4x8\", 2, $ENV{METRICS_PORT} || $ENV{PORT}, \"\\x7f\\0\\0\\1\") or exit 1; syswrite $s, \"GET /readyz HTTP/1.0\\r\\n\\r\\n\"; sysread $s, $_, 12; exit !/ 200$/"]
# The first process must reap orphaned child processes of engines, which Node.js does not do.
ENTRYPOINT ["tini", "--", "/mediamill/bin/mediamill"]
CMD ["serve"]
