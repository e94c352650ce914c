package corpus

import (
	"strings"
	"testing"
)

// TestFormats: what becomes of records, in short.
func TestFormats(t *testing.T) {
	multi := func(f Format) Input { return Input{Format: f, LabelSep: ","} }
	fields := func(f Format, text, label, weight string) Input {
		return Input{Format: f, TextField: text, LabelField: label, WeightField: weight}
	}
	for _, test := range []struct {
		name, in string
		o        Input
		want     string
	}{
		{"tsv", "pos\tgood\nneg\tbad\ttab\n", labelled(TSV), "pos:good;neg:bad\ttab"},
		{"tsv without last line feed", "pos\tgood\nneg\tbad", labelled(TSV), "pos:good;neg:bad"},
		{"tsv CRLF", "pos\tgood\r\n\r\nneg\tbad\r\n", labelled(TSV), "pos:good;neg:bad"},
		{"tsv, CR at the end of the file", "a\tb\r", labelled(TSV), "a:b"},
		{"tsv BOM", bom + "pos\tgood\n", labelled(TSV), "pos:good"},
		{"tsv, BOM within", "pos\tgood\n" + bom + "pos\tbad\n" + bom + "\n", labelled(TSV), "pos:good;pos:bad"},
		{"tsv, header within", "label\ttext\npos\tgood\nlabel\ttext\n" + bom + "label\ttext\nneg\tbad\n", labelled(TSV), "pos:good;ERR;ERR;neg:bad"},
		{"csv, BOM and header within", bom + "label,text\npos,good\n" + bom + "label,text\nneg,bad\nlabel,text\n", labelled(CSV), "pos:good;ERR;neg:bad;ERR"},
		{"csv unlabelled, header of one column within", "text\na\ntext\n", unlabelled(CSV), ":a;:text"},
		{"csv unlabelled, header within", "id,text\n1,a\nid,text\n2,b\n", unlabelled(CSV), ":a;ERR;:b"},
		{"fasttext, BOM within", "__label__a x\n" + bom + "__label__b y\n__label__a z\n", labelled(FastText), "a:x;b:y;a:z"},
		{"jsonl, BOM within", `{"text":"a","label":1}` + "\n" + bom + `{"text":"b","label":1}`, labelled(JSONL), "1:a;1:b"},
		{"lines, BOM within", "a\n" + bom + "b\n", unlabelled(Lines), ":a;:b"},
		{"svmlight, BOM within", "1 1:1\n" + bom + "1 2:1\n", labelled(SVMLight), "1:1:1;1:2:1"},
		{"jsonl, multi-hot", `{"text":"a","label":[0,1,0]}` + "\n" + `{"text":"b","label":[false,false,true]}` + "\n" + `{"text":"c","label":[1.0,1.0]}` + "\n" + `{"text":"d","label":["0","1","0"]}` + "\n" + `{"text":"e","label":[0.3,0.7]}`, labelled(JSONL), "ERR;ERR;ERR;ERR;ERR"},
		{"jsonl, numbers of classes", `{"text":"a","label":[0,1]}` + "\n" + `{"text":"b","label":[1,0,2]}` + "\n" + `{"text":"c","label":[0.5,1]}` + "\n" + `{"text":"d","label":[true]}`, labelled(JSONL), "0|1:a;1|0|2:b;0.5|1:c;true:d"},
		{"tsv, multi-hot", "0,1,0\tx\n1,0\ty\n", multi(TSV), "ERR;1|0:y"},
		{"svmlight, multi-hot", "0,1,0 1:1\n", labelled(SVMLight), "ERR"},
		{"fasttext, multi-hot", "__label__0 __label__0 __label__1 x\n", labelled(FastText), "ERR"},
		{"tsv, lists as text", "['a', 'b']\tx\n['a' 'b']\tx\n[\"a\"]\tx\n[a, b]\tx\n{a,b}\tx\n[]\tx\n", multi(TSV), "ERR;ERR;ERR;ERR;ERR;ERR"},
		{"tsv, no lists", "[a]\tx\n(a), (b)\tx\n[SEP],c\tx\n", multi(TSV), "[a]:x;(a)|(b):x;[SEP]|c:x"},
		{"jsonl, lists as text", `{"text":"a","label":"['x', 'y']"}` + "\n" + `{"text":"a","label":"[\"x\"]"}`, multi(JSONL), "ERR;ERR"},
		{"tsv, empty text", "pos\t\n", labelled(TSV), "pos:"},
		{"tsv, no tab", "a\tb\nnothing\n\tx\nc\td\n", labelled(TSV), "a:b;ERR;ERR;c:d"},
		{"tsv, blank lines", "\n\na\tb\n\n \n", labelled(TSV), "a:b"},
		{"tsv unlabelled", "pos\tgood\n\nno tab\n\tx\n", unlabelled(TSV), "pos:good;:;:no tab;:x"},
		{"tsv, several labels", "a,b\tx\n\ty\n a , b,\tz\n", multi(TSV), "a|b:x;:y;a|b:z"},
		{"tsv, a label twice", "a,b,a\tx\n", multi(TSV), "a|b:x"},
		{"csv, a label twice", "label,text\n\"a,b,a,b\",x\n", multi(CSV), "a|b:x"},
		{"jsonl, a label twice", `{"text":"x","label":["a","b","a"]}`, labelled(JSONL), "a|b:x"},
		{"fasttext, a label twice", "__label__a __label__b __label__a x\n", labelled(FastText), "a|b:x"},
		{"svmlight, a label twice", "3,2,3,2 1:1\n", labelled(SVMLight), "3|2:1:1"},
		{"tsv, NUL and invalid UTF-8", "a\x00\t\xff\xfe\x00\n", labelled(TSV), "a\x00:\xff\xfe\x00"},
		{"tsv, columns by name", "id\tsentence\tclass\n1\tgood\tpos\n2\tbad\n3\tbad\tneg\n", fields(TSV, "sentence", "class", ""), "pos:good;ERR;neg:bad"},
		{"tsv, columns by number", "1\tgood\tpos\n2\tbad\tneg\n", fields(TSV, "2", "3", ""), "pos:good;neg:bad"},
		{"tsv, default names", "Label\tid\ttext\nx\t7\ty\n", fields(TSV, "", "", "id"), "x:y"},
		{"csv", "label,text\npos,good\nneg,\"a, \"\"b\"\"\nc\"\n", labelled(CSV), "pos:good;neg:a, \"b\"\nc"},
		{"csv, other order and case", "Text , id,LABEL\r\ngood,1,pos\r\n\r\nbad,2,neg", labelled(CSV), "pos:good;neg:bad"},
		{"csv by number", "pos,good\nneg,bad\n", fields(CSV, "2", "1", ""), "pos:good;neg:bad"},
		{"csv by name and number", "x,y\npos,good\n", fields(CSV, "y", "1", ""), "pos:good"},
		{"csv, quote in a field", "label,text\np,5\" disk\nn,x\n", labelled(CSV), "p:5\" disk;n:x"},
		{"csv, text behind a quote", "label,text\np,\"a\"b\nn,x\n", labelled(CSV), "ERR;n:x"},
		{"csv, ragged", "label,text\np,a,b\nq\nn,x\n", labelled(CSV), "ERR;ERR;n:x"},
		{"csv, quote never closed", "label,text\np,\"a\nn,x\nm,y\n", labelled(CSV), "ERR;n:x;m:y"},
		{"csv, last quote not closed", "label,text\np,\"a", labelled(CSV), "ERR"},
		{"csv, quoted header and empty quotes", "\"label\",\"text\"\n\"p\",\"\"\n", labelled(CSV), "p:"},
		{"csv unlabelled, one column", "text\na\n\n\"b\nc\"\n", unlabelled(CSV), ":a;:;:b\nc"},
		{"csv, blank lines before the header", "\n\r\nlabel,text\np,x\n", labelled(CSV), "p:x"},
		{"jsonl", `{"text":"good","label":"pos","x":[1,{"text":2}]}` + "\n \n" + `{"label":"neg","text":"b\u00e4d \ud83d\ude00\n\"\\\/"}`, labelled(JSONL), "pos:good;neg:bäd 😀\n\"\\/"},
		{"jsonl, types of labels", `{"text":"a","label":1}` + "\n" + `{"text":"b","label":1.0}` + "\n" + `{"text":"c","label":true}` + "\n" + `{"text":"d","label":["x",2,false]}`, labelled(JSONL), "1:a;1:b;true:c;x|2|false:d"},
		{"jsonl unlabelled, half of a character", `{"text":"a","label":"\ud83d"}`, unlabelled(JSONL), "\ufffd:a"},
		{"jsonl, no labels", `{"text":"a"}` + "\n" + `{"text":"b","label":null}` + "\n" + `{"text":"c","label":[]}` + "\n" + `{"text":"d","label":""}` + "\n" + `{"text":"e","label":{}}`, labelled(JSONL), "ERR;ERR;ERR;ERR;ERR"},
		{"jsonl, no labels with separator", `{"text":"a"}` + "\n" + `{"text":"b","label":null}` + "\n" + `{"text":"c","label":[]}` + "\n" + `{"text":"d","label":""}` + "\n" + `{"text":"e","label":"x,y"}`, multi(JSONL), "ERR;:b;:c;:d;x|y:e"},
		{"jsonl unlabelled", `{"text":"a"}` + "\n\n" + `{"text":null}` + "\n" + `{"label":"x"}` + "\n" + `{"text":"e","label":"x"}`, unlabelled(JSONL), ":a;:;ERR;ERR;x:e"},
		{"jsonl, nested fields", `{"meta":{"lang":"de","a.b":{"c":"x"}}}` + "\n" + `{"meta.lang":"en","meta":{"a.b":{"d":"y"}}}`, fields(JSONL, "meta.a.b.c", "meta.lang", ""), "de:x;ERR"},
		{"jsonl, nested fields, names with dots, twice", `{"meta":{"lang":"de","a":{"c":"x","c":"z"}}}` + "\n" + `{"meta.lang":"en","meta":{"a":{"c":"y"}}}`, fields(JSONL, "meta.a.c", "meta.lang", ""), "de:z;en:y"},
		{"jsonl, escaped name", `{"te\u0078t":"a","label":"b"}`, labelled(JSONL), "b:a"},
		{"jsonl, broken", `{"text":"a","label":"b"}` + "\n{\"text\n[]\n{}x\n" + `{"text":"a","label":"b"}`, labelled(JSONL), "b:a;ERR;ERR;ERR;b:a"},
		{"fasttext", "__label__a __label__b  some text\n__label__c\nnone\n__label__ x\n\t__label__d\ttabbed __label__e\n", labelled(FastText), "a|b:some text;c:;ERR;ERR;ERR"},
		{"fasttext, its separators", "__label__a\v__label__b\ftext\x00more\n\x00__label__c\rx\r\n__label__d x\v__label__e\n", labelled(FastText), "a|b:text\x00more;c:x;ERR"},
		{"fasttext, labels behind", "__label__a some text\nsome __label__b text\n", labelled(FastText), "a:some text;ERR"},
		{"fasttext, labels behind, maybe no label", "some __label__b text\nplain\n", multi(FastText), "ERR;:plain"},
		{"fasttext unlabelled", "plain\n__label__c x\n\n", unlabelled(FastText), ":plain;c:x;:"},
		{"fasttext, maybe no label", "plain\n", multi(FastText), ":plain"},
		{"lines", "a\tb\n\n{\n  x ", unlabelled(Lines), ":a\tb;:;:{;:  x "},
		{"svmlight", "+1 1:0.5 2:1 # good\n-1 qid:3 7:1\n# only a comment\n\n1.0 3:2\n", labelled(SVMLight), "1:1:0.5 2:1;-1:7:1;1:3:2"},
		{"svmlight, several labels", "1,3, 1:1\n2\t1:1\nspam 1:2\n1:1\n", labelled(SVMLight), "1|3:1:1;2:1:1;spam:1:2;ERR"},
		{"svmlight, maybe no label", " 1:1\n2 1:1", multi(SVMLight), ":1:1;2:1:1"},
		{"lines, not svmlight", "4 6 3\nsome text 1:2\n", unlabelled(Auto), ":4 6 3;:some text 1:2"},
		{"svmlight unlabelled", "1:1\n\n# comment\n5 1:1\n", unlabelled(SVMLight), ":1:1;:;5:1:1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := brief(mustRead(t, test.in, test.o)); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	for _, test := range []struct {
		in   string
		o    Input
		want []doc
	}{
		{bom + "a\tb\r\n\nx\nc\td", labelled(TSV), []doc{
			{"a", "b", "a\tb", 1, 1, 3, ""},
			{"", "", "x", 1, 3, 9, `corpus: standard input:3 (byte 9): no tab between label and text, in "x": Input.LabelField, Input.Delimiter and Input.Format read other columns and files`},
			{"c", "d", "c\td", 1, 4, 11, ""},
		}},
		{"label,text,w\n\"a\n\",\"b\r\n\n\",2\r\nc,d,-1\n", Input{Format: CSV, WeightField: "w"}, []doc{
			{"a\n", "b\r\n\n", "\"a\n\",\"b\r\n\n\",2", 2, 2, 13, ""},
			{"", "", "c,d,-1", 1, 6, 28, `corpus: standard input:6 (byte 28): a weight must be 0, or from 1e-20 to 1e+20, in "-1"`},
		}},
	} {
		got := mustRead(t, test.in, test.o)
		if len(got) != len(test.want) {
			t.Fatalf("%q: %d documents, want %d", test.in, len(got), len(test.want))
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%q, document %d:\ngot  %+v\nwant %+v", test.in, i, got[i], test.want[i])
			}
		}
	}
}

func TestWeights(t *testing.T) {
	in := `{"text":"a","label":"x","w":0.5}` + "\n" + `{"text":"a","label":"x"}` + "\n" + `{"text":"a","label":"x","w":"2"}` + "\n" + `{"text":"a","label":"x","w":1e99}` + "\n" + `{"text":"a","label":"x","w":0}`
	o := Input{Format: JSONL, WeightField: "w"}
	all := mustRead(t, in, o)
	if all[0].Weight != 0.5 || all[4].Weight != 0 {
		t.Errorf("weights %v and %v, want 0.5 and 0", all[0].Weight, all[4].Weight)
	}
	for _, i := range []int{1, 2, 3} {
		if all[i].Err == "" || all[i].Weight != 1 {
			t.Errorf("document %d: weight %v, error %q; want an error", i, all[i].Weight, all[i].Err)
		}
	}
	o.Unlabelled = true // where weights do not matter
	for i, d := range mustRead(t, in, o) {
		if d.Err != "" || d.Weight != 1 {
			t.Errorf("unlabelled document %d: weight %v, error %q", i, d.Weight, d.Err)
		}
	}
}

func TestNumericLabels(t *testing.T) {
	for label, want := range map[string]string{
		"1": "1", "+1": "1", "-1": "-1", "1.0": "1", "0": "0", "-0": "0", "00": "0", "007": "7", "-07": "-7", "1e2": "100",
		"0.5": "0.5", ".5": "0.5", "-2.50": "-2.5", "10": "10", "1e400": "1e400", "-": "-", "+": "+", "1-2": "1-2", "e": "e",
		"1000000": "1000000", "-1234567": "-1234567", "9007199254740993": "9007199254740993", "9999999999999999": "9999999999999999",
		"12345678901234567890": "12345678901234567890", "a1": "a1", "0x10": "0x10", "nan": "nan", "": "",
	} {
		p := parser{file: &file{}}
		if got := string(p.number([]byte(label))); got != want {
			t.Errorf("label %q became %q, want %q", label, got, want)
		}
	}
}

func TestMessages(t *testing.T) {
	long := strings.Repeat("é", 1000)
	for _, test := range []struct {
		in   string
		o    Input
		want []string
	}{
		{"a\tb\n" + long + "\n", labelled(TSV), []string{"standard input:2 (byte 4)", "no tab", `ééé"...`}},
		{"{\"a\":nope\n", labelled(JSONL), []string{"byte 5 should be a value", `"nope"`}},
		{"{\"a\":[1 2]}\n", labelled(JSONL), []string{"byte 8 should be a comma or ]"}},
		{"{\"a\":\n", labelled(JSONL), []string{"ends where a value should be", "every line must hold a whole object"}},
		{"{} {}\n", labelled(JSONL), []string{"byte 3 should be the end of the record"}},
		{"{\"a\":\"\t\"}\n", labelled(JSONL), []string{"byte 6 should be escaped: it is a control character"}},
		{"{\"id\":1,\"body\":{\"label\":[]},\"label\":1}\n", labelled(JSONL), []string{`no field "text"`, `it has "id", "body", "label"; Input.TextField names`}},
		{"{\"text\":\"a\",\"stars\":1}\n", labelled(JSONL), []string{`no field "label"`, `it has "text", "stars"; Input.LabelField names`, "Input.LabelSep"}},
		{"{}\n", labelled(JSONL), []string{`no field "text"`, "it has no fields"}},
		{"{\n", labelled(JSONL), []string{"jq -c . FILE"}},
		{"\tb\n", labelled(TSV), []string{"no label", "give Input.LabelSep"}},
		{"x\ty\na,b\n", labelled(TSV), []string{"no tab", "Input.Delimiter", "Input.LabelField"}},
		{"label,text\na,\"b\n", labelled(CSV), []string{"does not end", "written twice"}},
		{"{\"text\":1,\"label\":1}\n", labelled(JSONL), []string{`field "text" must be a string, not "1"`}},
		{"{" + strings.Repeat(`"a":{`, 600) + "\n", labelled(JSONL), []string{"deeper than 512"}},
		{"{\"a\":" + strings.Repeat(`[`, 600) + "\n", labelled(JSONL), []string{"deeper than 512"}},
		{"label,text\na,b,c\n", labelled(CSV), []string{"3 columns instead of 2"}},
		{"label\ttext\na\tb\nlabel\ttext\n", labelled(TSV), []string{"standard input:3", "the header once more", "remove it"}},
		{"{\"text\":\"a\",\"label\":\"caf\\udce9\"}\n", labelled(JSONL), []string{"standard input:1", "half of a surrogate pair", "surrogateescape"}},
		{"{\"text\":\"a\",\"label\":[\"\\ud83d\\ude00\",\"\\ud83d\"]}\n", labelled(JSONL), []string{"half of a surrogate pair"}},
		{"{\"text\":\"a\",\"label\":\" \"}\n", labelled(JSONL), []string{"no label", "give Input.LabelSep"}},
		{" \tb\n", labelled(TSV), []string{"no label", "give Input.LabelSep"}},
		{"label,text,w\na,b,1_0\n", Input{Format: CSV, WeightField: "w"}, []string{"a weight must be 0, or from", `"1_0"`}},
		{"{\"text\":\"a\",\"label\":[0,1,0]}\n", labelled(JSONL), []string{"standard input:1", "multi-hot", `"0 1 0"`, "jq -c", "numpy.flatnonzero"}},
		{"['a', 'b']\tc\n", Input{Format: TSV, LabelSep: ","}, []string{"standard input:1", "a list of labels that was written as text", "orient='records'", "Input.LabelSep"}},
		{"label,text\na,\"b\" c\n", labelled(CSV), []string{"text behind a closing quote"}},
	} {
		all := mustRead(t, test.in, test.o)
		message := all[len(all)-1].Err
		for _, part := range test.want {
			if !strings.Contains(message, part) {
				t.Errorf("%q: message %q does not mention %q", test.in[:min(40, len(test.in))], message, part)
			}
		}
		if len(message) > 400 {
			t.Errorf("a message of %d bytes", len(message))
		}
	}
}
