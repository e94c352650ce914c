// Package style has the style sheet that all pages share.
package page

import _ "embed"

// Common is the style sheet. Parts of a text have the classes for1 to for4, by how much they add to a margin, and
// against1 to against4, by how much they take from it.
//
//go:embed common.css
var Common string
