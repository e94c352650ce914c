#!/bin/sh
# Unpacks what make release has built and runs it: smoke.sh FOLDER. Checks checksums, then trains and scores with the
# archives of Linux (arm64 under qemu-aarch64, if that is there), with the packages and with the image, and lists what
# could not be tried.
set -eu
release=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$release" && sha256sum --quiet -c SHA256SUMS)
echo "checksums hold"

printf 'pos\ta lovely, funny film\npos\tlovely acting\nneg\tdull and tiresome\nneg\ta dull plot\n' >"$work/tiny.tsv"

try() { # NAME PROGRAM, with what runs it before
	name=$1
	shift
	"$@" train -q --min-df 1 "$work/tiny.tsv" -o "$work/tiny.nbm"
	label=$(echo 'what a lovely plot' | "$@" score "$work/tiny.nbm" - | cut -f 1)
	[ "$label" = pos ] || { echo "$name: scored $label, not pos" >&2; exit 1; }
	echo "$name: $("$@" version | head -n 1)"
}

for arch in amd64 arm64; do
	mkdir "$work/$arch"
	tar -xzf "$release"/nbsvm_*_linux_$arch.tar.gz -C "$work/$arch" --strip-components 1
	for file in nbsvm LICENSE THIRD_PARTY_NOTICES man/nbsvm-train.1.gz completions/nbsvm.bash; do
		[ -s "$work/$arch/$file" ] || { echo "the archive of linux/$arch has no $file" >&2; exit 1; }
	done
done
case $(uname -m) in
x86_64)
	try "archive, linux/amd64" "$work/amd64/nbsvm"
	if command -v qemu-aarch64 >/dev/null; then
		try "archive, linux/arm64 under qemu" qemu-aarch64 "$work/arm64/nbsvm"
	else
		echo "SKIPPED: no qemu-aarch64, so linux/arm64 is not run"
	fi
	;;
aarch64) try "archive, linux/arm64" "$work/arm64/nbsvm" ;;
esac

machine=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
if command -v dpkg-deb >/dev/null; then
	dpkg-deb -x "$release"/nbsvm_*_linux_$machine.deb "$work/deb"
	try "Debian package" "$work/deb/usr/bin/nbsvm"
else
	echo "SKIPPED: no dpkg-deb, so the Debian package is not unpacked"
fi
if command -v rpm2cpio >/dev/null && command -v cpio >/dev/null; then
	mkdir "$work/rpm"
	(cd "$work/rpm" && rpm2cpio "$release"/nbsvm_*_linux_$machine.rpm | cpio -id --quiet --no-absolute-filenames)
	try "RPM package" "$work/rpm/usr/bin/nbsvm"
else
	echo "SKIPPED: no rpm2cpio, so the RPM package is not unpacked"
fi

# What is in an image: the program of the archive.
for arch in amd64 arm64; do
	mkdir "$work/image-$arch"
	tar -xf "$release"/nbsvm_*_linux_$arch.image.tar -C "$work/image-$arch"
	tar -xzf "$work/image-$arch"/*.tar.gz -C "$work/image-$arch"
	cmp "$work/image-$arch/nbsvm" "$work/$arch/nbsvm"
done
echo "images: they have the programs of the archives"

# The image of this machine, run by docker or podman, or by buildah without their engine. A folder that the image's user
# may write to is mounted, as its documentation says.
image=$(ls "$release"/nbsvm_*_linux_$machine.image.tar)
chmod 777 "$work" && rm -f "$work/tiny.nbm"
if docker info >/dev/null 2>&1 || podman info >/dev/null 2>&1; then
	engine=docker
	docker info >/dev/null 2>&1 || engine=podman
	tag=$($engine load -q -i "$image" | sed 's/.*: //')
	run="$engine run --rm -i --network host -v $work:/data $tag"
elif command -v buildah >/dev/null && [ "$(id -u)" = 0 ]; then
	engine=buildah
	stored="buildah --storage-driver vfs --root $work/store --runroot $work/run"
	run="$stored run --isolation chroot -v $work:/data $($stored from -q "docker-archive:$image") -- /nbsvm"
else
	echo "SKIPPED: no docker, podman or (as root) buildah, so the image is not run"
	exit 0
fi
$run train -q --min-df 1 tiny.tsv -o tiny.nbm
label=$(echo 'what a lovely plot' | $run score tiny.nbm - | cut -f 1)
[ "$label" = pos ] || { echo "the image scored $label, not pos" >&2; exit 1; }
$run serve --listen 127.0.0.1:18517 tiny.nbm >/dev/null 2>"$work/served" </dev/null &
server=$!
trap 'kill $server || true; wait; rm -rf "$work"' EXIT
tries=0
until curl -fs http://127.0.0.1:18517/readyz >/dev/null 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 50 ] || { cat "$work/served" >&2; exit 1; }
	sleep 0.2
done
echo "image, linux/$machine by $engine: $($run version | head -n 1); its server is ready"
