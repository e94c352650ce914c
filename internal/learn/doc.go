// Package learn trains models: [Fit] turns the rows of a matrix and the labels of their documents into the weights of
// the outputs, and these into a model. Every kind of model is a [Learner] in a file of its own, and [Params] are all
// that it knows of the options. Trees over labels, given or grown, are trained by the same learners, node by node.
// Thresholds and probabilities are learned from the margins of held-out documents ([HoldOut]).
//
// # Perceptron and passive-aggressive
//
// [Online] trains linear classifiers document by document: the averaged perceptron and passive-aggressive
// learning. A document that a class's rivals win, or nearly so, moves the weights at once.
//
// Several classes have joint features φ(x, y) = φ(x) ⊗ φ(y): a document moves the weights of its class towards it, and
// those of the strongest rival away from it. Two classes have one vector of weights, whose sign tells them apart.
// The result is the average of the weights after every single document (Collins 2002), which votes of all the
// classifiers on the way come close to (Freund and Schapire 1999).
//
// # Similar classes
//
// orderOf puts similar classes next to each other, by balanced 2-means: the classes are cut into two halves of
// about equal size, each of similar ones, and the halves are cut again (Prabhu, Kag, Harsola, Agrawal and Varma 2018,
// "Parabel: Partitioned Label Trees for Extreme Classification", section 4.1).
package learn
