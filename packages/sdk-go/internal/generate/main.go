// Command generate writes types.gen.go from openapi/partner.json, with oapi-codegen:
//
//	go run ./internal/generate          writes the file
//	go run ./internal/generate -check   fails when the committed one is another
//
// It runs in the module's folder. What Go needs to have otherwise than the document is changed in a copy of it.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	document  = "../../openapi/partner.json"
	target    = "types.gen.go"
)

// names of lists that several objects have: one type each, instead of one for each field.
var names = map[string]string{
	"Reason":           "ErrorBody.reason",
	"ErrorCode":        "ErrorBody.error",
	"EventType":        "Event.type",
	"Side":             "Trade.side",
	"TradeStatus":      "Trade.status",
	"RedemptionStatus": "Redemption.status",
	"OperationStatus":  "Operation.status",
	"DeliveryStatus":   "WebhookDelivery.status",
	"UserStatus":       "User.status",
	"EndpointStatus":   "WebhookEndpoint.status",
	"PriceInterval":    "ListPriceHistoryResult.interval",
	"KeyStatus":        "ApiKey.status",
}

type object = map[string]any

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "write nothing, and fail when the committed file is another")
	flag.Parse()
	generated, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	if !*check {
		if err := os.WriteFile(target, generated, 0o644); err != nil {
			log.Fatal(err)
		}
		return
	}
	if committed, err := os.ReadFile(target); err != nil || !bytes.Equal(committed, generated) {
		log.Fatalf("%s is not what %s makes: go run ./internal/generate", target, document)
	}
}

func generate() ([]byte, error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	var api object
	if err := json.Unmarshal(text, &api); err != nil {
		return nil, err
	}
	prepare(api)
	folder, err := os.MkdirTemp("", "karat-generate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	changed, err := json.Marshal(api)
	if err != nil {
		return nil, err
	}
	input, output := filepath.Join(folder, "partner.json"), filepath.Join(folder, target)
	if err := os.WriteFile(input, changed, 0o600); err != nil {
		return nil, err
	}
	command := exec.Command("go", "run", generator, "-config", "internal/generate/config.yaml", "-o", output, input)
	if printed, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("oapi-codegen: %w\n%s", err, printed)
	}
	generated, err := os.ReadFile(output)
	if err != nil {
		return nil, err
	}
	// The package has its own description.
	_, rest, found := bytes.Cut(generated, []byte("\n//\n"))
	if !found {
		return nil, fmt.Errorf("%s begins in another way", output)
	}
	// Nor does it begin with who wrote this file.
	return bytes.Replace(rest, []byte("\npackage"), []byte("\n\npackage"), 1), nil
}

// prepare leaves the schemas and the parameters of queries, in the words of Go.
func prepare(api object) {
	components := api["components"].(object)
	schemas := components["schemas"].(object)
	parameters, _ := components["parameters"].(object)
	for _, path := range api["paths"].(object) {
		for _, operation := range path.(object) {
			reduce(operation.(object), parameters)
		}
	}
	api["components"] = object{"schemas": schemas}
	delete(schemas, "StreamEventsResult")
	delete(schemas, "ReserveBarsTable")
	// Files are no types, and theirs would be another module's.
	for name, schema := range schemas {
		if schema.(object)["format"] == "binary" {
			delete(schemas, name)
		}
	}
	for _, schema := range schemas {
		mergeShapes(schema.(object), schemas)
	}
	lists := object{}
	for name, owner := range names {
		schema, field, _ := strings.Cut(owner, ".")
		list := schemas[schema].(object)["properties"].(object)[field].(object)["enum"]
		lists[fmt.Sprint(list)] = name
		schemas[name] = object{"type": "string", "enum": list, "description": "One of the names of " + owner + "."}
	}
	// No name begins with a digit.
	schemas["PriceInterval"].(object)["x-enum-varnames"] = []string{"Minute", "FiveMinutes", "Hour", "Day"}
	for name, schema := range schemas {
		if _, shared := names[name]; shared {
			continue
		}
		adapt("", schema, lists)
		nameParts(name, schema.(object))
	}
	// Nothing leaves the types as they are, null makes them all.
	types := schemas["ChangeWebhookEndpointRequest"].(object)["properties"].(object)["types"].(object)
	types["x-go-type-skip-optional-pointer"] = false
	// What was sent is what is returned.
	schemas["CreateUserRequest"].(object)["properties"].(object)["kyc"].(object)["x-go-type"] = "Kyc"
	adapt("", api["paths"], lists)
}

// reduce leaves what a query may have of a route.
func reduce(operation, parameters object) {
	delete(operation, "requestBody")
	operation["responses"] = object{"default": object{"description": "Left out."}}
	var kept []any
	given, _ := operation["parameters"].([]any)
	for _, one := range given {
		parameter := one.(object)
		if reference, ok := parameter["$ref"].(string); ok {
			parameter = parameters[reference[strings.LastIndex(reference, "/")+1:]].(object)
		}
		if parameter["in"] != "header" {
			kept = append(kept, parameter)
		}
	}
	operation["parameters"] = kept
}

// nameParts names the objects that stand within an object.
func nameParts(schema string, whole object) {
	fields, _ := whole["properties"].(object)
	for field, one := range fields {
		part := one.(object)
		if items, ok := part["items"].(object); ok {
			part = items
		}
		if _, ok := part["properties"]; ok {
			part["x-go-type-name"] = schema + strings.ToUpper(field[:1]) + strings.TrimSuffix(field[1:], "s")
		}
	}
}

// mergeShapes makes one object of a body that has one of several shapes: what not all of them require may be left out.
func mergeShapes(schema, schemas object) {
	shapes, ok := schema["oneOf"].([]any)
	if !ok {
		return
	}
	delete(schema, "oneOf")
	fields, counts := object{}, map[string]int{}
	for _, one := range shapes {
		reference := one.(object)["$ref"].(string)
		name := reference[strings.LastIndex(reference, "/")+1:]
		shape := schemas[name].(object)
		delete(schemas, name)
		for field, part := range shape["properties"].(object) {
			fields[field] = part
		}
		for _, field := range shape["required"].([]any) {
			counts[field.(string)]++
		}
	}
	required := []any{}
	for field, count := range counts {
		if count == len(shapes) {
			required = append(required, field)
		}
	}
	schema["type"], schema["properties"], schema["required"] = "object", fields, required
}

// adapt changes a schema and all within it.
func adapt(name string, value any, lists object) {
	if list, ok := value.([]any); ok {
		for _, one := range list {
			adapt("", one, lists)
		}
		return
	}
	schema, ok := value.(object)
	if !ok {
		return
	}
	// Null beside one other type is the zero value of Go, which a string and a Decimal have for it.
	if choices, ok := schema["anyOf"].([]any); ok && len(choices) == 2 {
		delete(schema, "anyOf")
		for field, one := range choices[0].(object) {
			schema[field] = one
		}
	}
	if list, ok := schema["enum"].([]any); ok {
		if shared, ok := lists[fmt.Sprint(list)]; ok {
			schema["x-go-type"] = shared
			delete(schema, "enum")
		} else if len(list) == 1 {
			delete(schema, "enum")
		}
	}
	if items, ok := schema["items"].(object); ok && name == "types" {
		items["x-go-type"] = "EventType"
		delete(items, "enum")
	}
	types := fmt.Sprint(schema["type"])
	switch {
	case types == "[integer null]", name == "slippage_bps":
		// 0 is another than none.
		schema["x-go-type-skip-optional-pointer"] = false
	case name == "object" && types == "object", name == "record":
		// What it is depends on what is beside it.
		delete(schema, "anyOf")
		schema["x-go-type"] = "json.RawMessage"
	}
	for field, one := range schema {
		adapt(field, one, lists)
	}
}
