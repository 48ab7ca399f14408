package spec

// The words that keys of the language take as values, but for those that have types of their own.
const (
	wordGo     = "go"     // written by hand
	wordNone   = "none"   // there is none
	wordRefuse = "refuse" // of a look that finds nothing, or something
	wordAllow  = "allow"  // as wordRefuse
	wordList   = "list"   // a look may find many
	wordLedger = "ledger" // a limit is of all callers together
)
