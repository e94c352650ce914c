package container

// Version of the library and the command; models and corpora record which one made them. Package nbsvm has it, too,
// so that its documentation shows it; a test compares the two.
const Version = "1.0.0"
