package nwc

// Open is New with the times that a wallet and a relay have.
var Open = open
