//go:build js

package main

import (
	"encoding/json"
	"syscall/js"
)

// main gives scripts a function nbsvmOpen(Uint8Array), which returns an object with a function answer(text,
// classes, contributions), or with an error. page/nbsvm.js wraps it.
func main() {
	js.Global().Set("nbsvmOpen", js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := make([]byte, args[0].Length())
		js.CopyBytesToGo(data, args[0])
		a, err := open(data)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		facts, err := json.Marshal(map[string]any{
			"labels": a.labels, "multiLabel": a.model.MultiLabel(), "probabilities": a.model.Probabilities(),
			"takesFeatures": a.model.TakesFeatures(),
		})
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{
			"facts": string(facts),
			"answer": js.FuncOf(func(_ js.Value, args []js.Value) any {
				found, err := a.answer([]byte(args[0].String()), args[1].Int(), args[2].Int())
				if err != nil {
					return map[string]any{"error": err.Error()}
				}
				return map[string]any{"json": string(found)}
			}),
		}
	}))
	select {} // the page calls
}
