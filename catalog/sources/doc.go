// Package sources reads the sources of records again, and reports whether they still say what is quoted from them.
//
// It is a guest on other people's servers in the same way as the link checker is, because it asks through it (package
// links): the same pace, the same obedience to robots.txt, the same journal from which an interrupted round resumes.
//
// It reads from the bottom up: the text of a body and a quote in it; what says that there is a newer version; what
// was found at an address, and what that means for a claim; then the round, and the records that it writes.
package sources
