package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// byteArg is a number of bytes, with or without a unit.
type byteArg int64

// byteUnits are the units in capitals. A letter alone is a multiple of 1024, as most programs take it.
var byteUnits = map[string]float64{
	"": 1, "B": 1,
	"K": 1 << 10, "KIB": 1 << 10, "KB": 1e3,
	"M": 1 << 20, "MIB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GIB": 1 << 30, "GB": 1e9,
	"T": 1 << 40, "TIB": 1 << 40, "TB": 1e12,
}

// rateArg is a number of bytes a second.
type rateArg int64

func (r *rateArg) UnmarshalText(text []byte) error {
	if (*byteArg)(r).UnmarshalText(bytes.TrimSuffix(text, []byte("/s"))) != nil {
		return fmt.Errorf("%q is not a speed such as 100MB/s", text)
	}
	return nil
}

func (b *byteArg) UnmarshalText(text []byte) error {
	size := strings.ToUpper(strings.TrimSpace(string(text)))
	number := strings.TrimRight(size, "KMGTIB")
	unit, known := byteUnits[size[len(number):]]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !known || !(n >= 0) || n*unit > 1<<62 {
		return fmt.Errorf("%q is not a size such as 512MiB or 8GiB", text)
	}
	*b = byteArg(n * unit)
	return nil
}
