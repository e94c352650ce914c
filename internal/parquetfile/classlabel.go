package parquetfile

import "encoding/json"

// labelNames returns the names that a dataset of Hugging Face gives the numbers of a label, in the file's metadata; nil
// if it gives none. path leads to the label's column.
func labelNames(metadata string, path []string) []string {
	var info struct {
		Info struct {
			Features json.RawMessage `json:"features"`
		} `json:"info"`
	}
	if json.Unmarshal([]byte(metadata), &info) != nil {
		return nil
	}
	return namesAt(info.Info.Features, path)
}

// namesAt returns the names of a ClassLabel below a feature. Lists have their elements' feature in "feature", or are
// written as arrays of it; of both there is a level or two in the path that features do not have.
func namesAt(feature json.RawMessage, path []string) []string {
	var members map[string]json.RawMessage
	if json.Unmarshal(feature, &members) != nil {
		var elements []json.RawMessage
		if json.Unmarshal(feature, &elements) != nil || len(elements) != 1 {
			return nil
		}
		return namesAt(elements[0], path)
	}
	var is string
	if json.Unmarshal(members["_type"], &is) == nil {
		switch {
		case is == "ClassLabel":
			var names []string
			json.Unmarshal(members["names"], &names)
			return names
		case members["feature"] != nil:
			return namesAt(members["feature"], path)
		}
		return nil
	}
	for i, name := range path {
		if below, is := members[name]; is {
			return namesAt(below, path[i+1:])
		}
	}
	return nil
}
