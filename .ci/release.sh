#!/usr/bin/env bash
# Makes a release with a key of its own, verifies it as its users would, and shows that files which were changed are refused. Two of the four systems are
# built; the binary for linux/amd64 is compared with the one that the image's build made in another folder (ALMANAC_TEST_IMAGE). A release itself builds
# everything twice, on two machines.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$1 version=$2
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

ssh-keygen -q -t ed25519 -N "" -C "a key of this run" -f "$work/key"
echo "release@almanac $(cut -d' ' -f1,2 "$work/key.pub")" >"$work/signers"
rm -rf "$out"
export ALMANAC_MODULE=almanac.example/almanac
ALMANAC_BUILD_KEY=$work/key deploy/release/build "$version" "$out" linux/amd64 linux/arm64
deploy/release/verify "$out" "$work/signers"
mkdir "$work/one"
cp "$out"/SHA256SUMS* "$out/almanac_${version#v}_linux_arm64.tar.gz" "$work/one"
tar xzf "$work"/one/*.tar.gz -C "$work/one"
deploy/release/verify "$work/one" "$work/signers"
ls "$out"

refused() {
	if deploy/release/verify "$work/changed" "$work/signers" >/dev/null 2>"$work/said"; then
		echo "verified, although $1" >&2
		exit 1
	fi
	echo "refused, because $1: $(tail -1 "$work/said")"
}
changed() { rm -rf "$work/changed" && cp -r "$out" "$work/changed" && cd "$work/changed"; }
archive=almanac_${version#v}_linux_amd64.tar.gz
alone() { rm -rf "$work/changed" && mkdir "$work/changed" && cp "$out/$1" "$out"/SHA256SUMS* "$work/changed" && cd "$work/changed"; }
for file in $(cd "$out" && ls | grep -v SHA256SUMS); do
	(alone "$file" && printf x >>"$file") && refused "$file has one byte more"
	(alone "$file" && truncate -s -1 "$file") && refused "$file has one byte less"
	(alone "$file" && mv "$file" "almanac_x_$file") && refused "$file was renamed"
done
(changed && printf x >>"$archive" && sha256sum almanac[_-]* server.json >SHA256SUMS) && refused "the checksums were made again"
(changed && sed -i '1d' SHA256SUMS) && refused "a checksum was left out"
(changed && rm SHA256SUMS.sig) && refused "there is no signature"
(changed && rm SHA256SUMS) && refused "there are no checksums"
(changed && printf x >almanac_1.0.0_linux_amd64.tar.gz) && refused "a file was added"
(changed && rm almanac[_-]* server.json) && refused "nothing is there"
resign() { rm SHA256SUMS.sig && ssh-keygen -q -Y sign -f "$1" -n "$2" SHA256SUMS; }
(changed && ssh-keygen -q -t ed25519 -N "" -f "$work/other" && resign "$work/other" almanac-release) && refused "somebody else signed"
(changed && resign "$work/key" file) && refused "the key signed for another purpose"
cp "$work/signers" "$out/allowed_signers" # of this run's key, for TestReleasedTranscript

if [ -n "${ALMANAC_TEST_IMAGE:-}" ]; then
	tar xOf "$out/$archive" "${archive%.tar.gz}/almanac" | cmp - "$ALMANAC_TEST_IMAGE/root/almanac"
	echo "the image's binary is that of $archive"
fi
