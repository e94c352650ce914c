// Package atomicfile writes files that appear whole or not at all.
//
// The bytes go to a temporary file ".NAME.nbsvm-<random>.tmp" in the folder of
// the file to be written. Commit flushes and syncs it, renames it over the
// name, and syncs the folder: whoever opens the name, at any time and after any
// crash, finds the old file or the new one, never half. A process that is
// killed leaves at most the temporary file behind; nothing reads those.
//
// What follows from replacing rather than overwriting: a symbolic link keeps
// pointing where it did and its target is replaced; permission bits are
// carried over from the old file, ownership and extended attributes are not;
// other hard links to the old file keep the old content; and what must be
// writable is the folder, not the old file.
//
// Things that cannot be replaced (/dev/stdout, /dev/null, a FIFO, whatever is
// no regular file) are written straight through, in order, from the first byte.
package atomicfile
