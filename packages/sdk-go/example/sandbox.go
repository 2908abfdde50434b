package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"path/filepath"
)

type sandbox struct {
	url, partnerID, partnerKeyFile, customerKeyFile string
}

// readSandbox returns what `sandbox.json` has in the state folder of a sandbox.
func readSandbox() sandbox {
	folder := flag.String("state", "../../.karat", "the state folder of the sandbox")
	customer := flag.String("customer", "keys/spare-6.json", "key file of the customer, in that folder")
	flag.Parse()
	var info struct {
		URL      string `json:"partner_api_url"`
		Partners []struct {
			ID      string `json:"partner_id"`
			KeyFile string `json:"wallet_keypair"`
		} `json:"partners"`
	}
	must(0, json.Unmarshal(must(os.ReadFile(filepath.Join(*folder, "sandbox.json"))), &info))
	partner := info.Partners[0]
	return sandbox{info.URL, partner.ID, filepath.Join(*folder, partner.KeyFile), filepath.Join(*folder, *customer)}
}

// must ends the program with the error of a call.
func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
