#!/bin/sh
# Installs what make release has built into a fresh Debian root without Go and without a compiler, in
# the ways that README.md tells, trains and predicts there, and prints a transcript with times: install.sh RELEASE.
# Takes root and mmdebstrap; without them, it says so and does nothing.
set -eu
skip() {
	echo "SKIPPED: $1, so nothing is installed into a fresh root"
	exit 0
}
[ "$(id -u)" = 0 ] || skip "not root"
command -v mmdebstrap >/dev/null || skip "no mmdebstrap"
release=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "making a fresh root of $suite"
mmdebstrap --quiet --variant=minbase --include=python3-venv,python3-numpy "$suite" "$work/fresh" 2>"$work/log" ||
	{ cat "$work/log" >&2; exit 1; }
for tool in go gcc cc clang; do
	! chroot "$work/fresh" sh -c "command -v $tool" || { echo "the fresh root has $tool" >&2; exit 1; }
done
machine=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
cp "$release"/nbsvm_*_linux_"$machine".tar.gz "$release"/nbsvm_*_linux_"$machine".deb "$release"/*_"$(uname -m)".whl \
	"$release"/nbsvm_fasttext-*.whl "$work/fresh/srv"
printf 'pos\ta lovely, funny film\npos\tlovely acting\nneg\tdull and tiresome\nneg\ta dull plot\n' >"$work/fresh/srv/tiny.tsv"
cat >"$work/fresh/srv/tiny.py" <<'END'
import nbsvm

texts = ["a lovely, funny film", "lovely acting", "dull and tiresome", "a dull plot"]
model = nbsvm.train(texts, ["pos", "pos", "neg", "neg"], min_df=1, prefix="")
print(model.predict("what a lovely plot")[0][0])
END
cat >"$work/fresh/srv/fast.py" <<'END'
import fasttext

print(fasttext.load_model("tiny.nbm").predict("what a lovely plot")[0][0])
END

show() { # a command in the root, its output, and how long it takes
	echo "\$ $1"
	begin=$(date +%s%N)
	chroot "$work/fresh" sh -c "cd /srv && $1" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
	cat "$work/out"
	end=$(date +%s%N)
	echo "# $(((end - begin) / 1000000)) ms"
}
wants() { # the last output
	grep -q "$1" "$work/out" || { echo "$1 was expected" >&2; exit 1; }
}
predict() {
	show 'nbsvm train -q --min-df 1 tiny.tsv -o tiny.nbm'
	show 'echo "what a lovely plot" | nbsvm score tiny.nbm -'
	wants '^pos'
}

echo; echo "== archive"
show "tar -xzf $(basename "$release"/nbsvm_*_linux_"$machine".tar.gz) -C /usr/local/bin --strip-components 1 --wildcards '*/nbsvm'"
predict
rm "$work/fresh/usr/local/bin/nbsvm" "$work/fresh/srv/tiny.nbm"
echo; echo "== Debian package"
show "dpkg -i $(basename "$release"/nbsvm_*_linux_"$machine".deb)"
predict
echo; echo "== wheel"
show "python3 -m venv --system-site-packages env && env/bin/pip install -q --no-index $(basename "$release"/*_"$(uname -m)".whl)"
show 'env/bin/python tiny.py'
wants '^pos$'
show 'env/bin/pip install -q --no-index nbsvm_fasttext-*.whl'
show 'env/bin/python fast.py'
wants 'pos$'

# The other wheel, with the Python of that machine, unpacked and run under emulation.
other=$(ls "$release"/*_aarch64.whl 2>/dev/null || true)
if [ "$machine" != amd64 ] || [ -z "$other" ] || ! command -v qemu-aarch64 >/dev/null; then
	echo "SKIPPED: no qemu-aarch64, so the wheel of Linux on arm64 is not tried"
	exit 0
fi
mmdebstrap --quiet --variant=extract --architectures=arm64 --include=python3,python3-numpy "$suite" "$work/arm64" 2>"$work/log" ||
	{ cat "$work/log" >&2; exit 1; }
python3 -m zipfile -e "$other" "$work/wheel"
libraries=$work/arm64/usr/lib/aarch64-linux-gnu
PYTHONHOME=$work/arm64/usr PYTHONPATH=$work/wheel qemu-aarch64 -L "$work/arm64" \
	-E "LD_LIBRARY_PATH=$libraries/blas:$libraries/lapack" "$work/arm64/usr/bin/python3" "$work/fresh/srv/tiny.py" >"$work/out"
wants '^pos$'
echo
echo "wheel, linux/arm64 under qemu: it predicts the same"
