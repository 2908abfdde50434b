package karat

import (
	"context"
	"iter"
	"net/url"
	"reflect"
	"strings"
)

// Collect returns all rows of a list.
func Collect[Row any](list iter.Seq2[Row, error]) ([]Row, error) {
	return Take(list, -1)
}

// Take returns the first rows of a list, at most so many, and reads no further; all for a negative number.
func Take[Row any](list iter.Seq2[Row, error], limit int) ([]Row, error) {
	var rows []Row
	if limit == 0 {
		return rows, nil
	}
	for row, err := range list {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
		if len(rows) == limit {
			break
		}
	}
	return rows, nil
}

// listOf returns the rows of a list whose pages name the cursor of the next one. An error is the last that it yields.
func listOf[Page, Row any](ctx context.Context, c *Client, path string, query any, split func(*Page) (rows []Row, next string)) iter.Seq2[Row, error] {
	values := valuesOf(query)
	return func(yield func(Row, error) bool) {
		for cursor := values.Get("cursor"); ; {
			page, err := get[Page](ctx, c, path, withValue(values, "cursor", cursor))
			if err != nil {
				var none Row
				yield(none, err)
				return
			}
			rows, next := split(page)
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if cursor = next; cursor == "" {
				return
			}
		}
	}
}

// withValue returns a query with another value for a name; none if that is empty.
func withValue(values url.Values, name, value string) url.Values {
	changed := url.Values{}
	for key, given := range values {
		changed[key] = given
	}
	changed.Del(name)
	if value != "" {
		changed.Set(name, value)
	}
	return changed
}

// queryOf returns a query with its question mark, or nothing.
func queryOf(query any) string {
	if text := valuesOf(query).Encode(); text != "" {
		return "?" + text
	}
	return ""
}

// valuesOf returns the fields of the parameters of a route that are set; the generator has tagged them.
func valuesOf(query any) url.Values {
	if values, ok := query.(url.Values); ok {
		return values
	}
	values := url.Values{}
	if query == nil {
		return values
	}
	fields := reflect.ValueOf(query)
	for at := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Type().Field(at).Tag.Get("form"), ",")
		if text := fields.Field(at).String(); text != "" {
			values.Set(name, text)
		}
	}
	return values
}
