// Package doubt finds what looks like something else than it is said to be: labels that are lists or vectors, and texts
// in another encoding than UTF-8.
package doubt
