# Builds one static binary and ships it alone. Run it with a read-only root file system:
#   docker run --read-only -v almanac-state:/state -p 8402:8402 almanac
FROM golang:1.26.8-bookworm@sha256:9fdc884aacc3bec89b20ffc69f4bb369c78210e3e4f600387b5128b12c199f81 AS build
# The compiler of images and releases. The base's Go fetches it as a module, and compares it with Go's checksum database.
ENV GOTOOLCHAIN=go1.26.11
WORKDIR /src
COPY go.mod go.sum ./
COPY http402/go.mod http402/go.sum http402/
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=${VERSION}" -o /out/almanac ./cmd/almanac \
 && mkdir /out/state && chown 65532:65532 /out/state

FROM scratch
ARG VERSION=
ARG REVISION=
ARG CREATED=
ARG SOURCE=
LABEL org.opencontainers.image.title="almanac" \
      org.opencontainers.image.description="Reference data about payment and agent protocols, for people and agents" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/LICENSE /src/httpmirror/notices.txt /licenses/
COPY --from=build /out/almanac /almanac
COPY --from=build --chown=65532:65532 /out/state /state
USER 65532:65532
VOLUME /state
# The demo node answers only its own machine, so an image starts with payments off. Long documents of a large library are temporary files.
ENV ALMANAC_HTTP=:8402 ALMANAC_GRPC=:8403 ALMANAC_ADMIN=localhost:8404 \
    ALMANAC_STATE=/state TMPDIR=/state ALMANAC_PAYMENTS=off ALMANAC_BASE_URL=http://localhost:8402
EXPOSE 8402 8403
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/almanac", "health"]
ENTRYPOINT ["/almanac"]
CMD ["serve"]
