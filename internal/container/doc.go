// Package container is what models, packed corpora and taggers are stored in: a file of sections with checksums. What
// is in a section is up to the kind of file.
//
// # The file
//
// Numbers are little-endian. Sections begin at multiples of 64 bytes and follow each other in the order of the table,
// which begins at a multiple of 64 bytes, too. The bytes between them are zero. The table comes behind the sections, so
// that files are written in one pass.
//
//	byte  size
//	   0     8  magic of the kind of file
//	   8     4  format version
//	  12    52  zero
//	  64        sections
//	            table: an entry of 32 bytes for each section
//	            footer, 32 bytes
//
//	entry of the table
//	   0     8  name, ASCII, filled up with zeros
//	   8     8  offset of the section from the beginning of the file
//	  16     8  length of the section in bytes
//	  24     4  CRC-32C of the section
//	  28     4  flags: bit 0 says that a reader who does not know the section may skip it
//
//	footer
//	   0     8  offset of the table
//	   8     8  length of the file
//	  16     4  CRC-32C of the table
//	  20     4  CRC-32C of the header and of the 20 bytes before this
//	  24     8  the magic backwards
//
// A reader refuses what begins with another magic, a newer version, what does not end with a footer, wrong checksums,
// and bytes between sections that are not zero. Thus every flipped bit is noticed. A section that a reader neither
// knows nor may skip is that of a newer version.
package container
