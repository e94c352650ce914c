#!/bin/sh
# Go may fuse x*y+z into one rounding where the CPU can (arm64 and others, not
# amd64), unless the product is converted explicitly. Results would then depend on
# the CPU. This compiles for such a CPU and lists any fused instruction in our code.
set -eu
listing=$(mktemp)
trap 'rm -f "$listing"' EXIT
# What was compiled before with the same flags is listed again, from the build cache.
GOOS=linux GOARCH=arm64 go build -gcflags='github.com/seed-167f963f/nbsvm/...=-S' \
	. ./bayes ./hashing ./internal/... ./kernels ./metrics ./solver ./sparse ./tag >"$listing" 2>&1 || {
	tail "$listing" >&2
	exit 1
}
for package in internal/kernels solver internal/xmath; do
	grep -q "^github.com/seed-167f963f/nbsvm/$package\..* STEXT" "$listing" || { echo "no listing of $package" >&2; exit 1; }
done
fused=$(grep -E '\b(FMADD|FMSUB|FNMADD|FNMSUB)[SD]\b' "$listing" || true)
if [ -n "$fused" ]; then
	echo "fused multiply-add; round the product with an explicit float64(x*y) or float32(x*y):" >&2
	echo "$fused" | sed -E 's/^.*\((.*:[0-9]+)\).*$/  \1/' | sort -u >&2
	exit 1
fi
echo "none"
