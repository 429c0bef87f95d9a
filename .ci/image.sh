#!/usr/bin/env bash
# Builds the Dockerfile as it stands, and leaves in $1 the image's root folder and its configuration, for the tests with
# ALMANAC_TEST_IMAGE. No container engine is needed: buildah builds with chroot isolation, over a base image that is put together from this
# machine's Go and a static busybox, and that has the name which the Dockerfile asks for, without its digest. Needs root.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1 version=$2
cache=${ALMANAC_CACHE:-$HOME/.cache/almanac}/image
mkdir -p "$cache" "$out"
exec 9>"$cache/lock"
flock 9

.ci/packages buildah busybox-static iproute2 curl

work=$(mktemp -d)
buildah() { command buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
finish() {
	buildah rm --all >/dev/null 2>&1 || true
	rm -rf "$work"
}
trap finish EXIT

# The base: what of golang:…-bookworm the Dockerfile uses. The compiler that the Dockerfile names is in the module cache then.
sed 's/@sha256:[0-9a-f]*//' Dockerfile >"$work/Dockerfile"
base=$(sed -n 's/^FROM \(golang:[^ ]*\) AS build$/\1/p' "$work/Dockerfile")
deploy/release/compiler >/dev/null
ctr=$(buildah from scratch)
root=$(buildah mount "$ctr")
mkdir -p "$root"/{bin,etc/ssl/certs,go,gocache,tmp,usr/local}
chmod 1777 "$root/tmp"
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in sh mkdir chown; do ln -s busybox "$root/bin/$applet"; done
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
mkdir "$root/usr/local/go" # without its tests and sources of commands
(cd "$(go env GOROOT)" && tar c --exclude=./test --exclude=./doc --exclude=./api . | tar x -C "$root/usr/local/go")
buildah umount "$ctr" >/dev/null
buildah config --env PATH=/usr/local/go/bin:/bin --env GOPATH=/go --env GOCACHE=/gocache --env GOTOOLCHAIN=local --env GOPROXY="$(go env GOPROXY)" --workingdir /go "$ctr"
buildah commit --quiet --rm "$ctr" "docker.io/library/$base" >/dev/null

source=$(git config --get remote.origin.url || true)
case $source in
https://* | git@*) ;;
*) source=https://example.org/almanac.git ;; # a clone of a folder, which is nobody's address
esac

# With this machine's cache of the compiler, in which the program has been built. Format docker, because that of OCI has no HEALTHCHECK.
buildah build --quiet --format docker --isolation chroot --pull-never --layers=false --network host --timestamp "$(git log -1 --format=%ct)" \
	--volume "$(go env GOMODCACHE):/go/pkg/mod" --volume "$(go env GOCACHE):/gocache" \
	--build-arg VERSION="$version" \
	--build-arg REVISION="$(git rev-parse HEAD)" \
	--build-arg CREATED="$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)" \
	--build-arg SOURCE="$source" \
	--tag almanac --file "$work/Dockerfile" . >/dev/null

buildah inspect --type image almanac >"$out/inspect.json"
ctr=$(buildah from --pull-never almanac)
rm -rf "$out/root"
cp -a "$(buildah mount "$ctr")" "$out/root"
echo "almanac $version: $(du -sh "$out/root" | cut -f1), $(find "$out/root" -type f | wc -l) files"
