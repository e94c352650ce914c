package hashing_test

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/hashing"
)

func ExampleExtractor_Ngrams() {
	e, err := hashing.NewExtractor(hashing.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range e.Ngrams([]byte("Don’t panic!")) {
		fmt.Printf("%q\n", name)
	}
	// Output:
	// "don't"
	// "panic"
	// "don't panic"
	// "!"
	// "panic !"
}

func ExampleExtractor_AppendDistinct() {
	options := hashing.DefaultOptions()
	options.Families[0].NgramHi = 1
	e, err := hashing.NewExtractor(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	hashes, counts := e.AppendDistinct(nil, []uint32{}, []byte("to be or not to be"))
	for i, h := range hashes {
		fmt.Println(hashing.Key(h, options.Bits), counts[i])
	}
	// Output:
	// 977703964331 2
	// 468641237607 2
	// 571270723351 1
	// 383052734278 1
}

func ExampleTokenizer() {
	for _, tokenizer := range []hashing.Tokenizer{hashing.Word, hashing.Char, hashing.Space} {
		options := hashing.DefaultOptions()
		options.Families[0].Tokenizer, options.Families[0].NgramHi = tokenizer, 1
		e, err := hashing.NewExtractor(options)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(tokenizer, ":")
		for _, name := range e.Ngrams([]byte("C'est ça, 漢字")) {
			fmt.Printf(" %q", name)
		}
		fmt.Println()
	}
	// Output:
	// word: "c'est" "ça" "," "漢" "字"
	// char: " " "c" "'" "e" "s" "t" " " "ç" "a" "," " " "漢" "字" " "
	// space: "c'est" "ça," "漢字"
}
