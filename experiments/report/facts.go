package report

import (
	"fmt"
	"reflect"
	"strings"
)

// FactsOf returns the fields of a struct that have a tag `fact:"NAME"` as facts, in their
// order. It leaves out empty texts and what encoding/json would leave out of a record by
// omitempty. Fields of embedded structs are not among them.
func FactsOf(conventions any) []Fact {
	var facts []Fact
	v := reflect.ValueOf(conventions)
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name := f.Tag.Get("fact")
		optional := value.Kind() == reflect.String || strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
		if name == "" || optional && value.IsZero() {
			continue
		}
		text := fmt.Sprint(value)
		if value.Kind() == reflect.Slice {
			text = strings.ReplaceAll(strings.Trim(text, "[]"), " ", ", ")
		}
		facts = append(facts, Fact{Name: name, Value: text})
	}
	return facts
}
