// A first trade in a sandbox that runs: a customer of a partner buys gold for 100 USDC.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	karat "github.com/karat-gold/karat/packages/sdk-go"
)

func main() {
	ctx, folder := context.Background(), cmp.Or(os.Getenv("KARAT_STATE_DIR"), ".karat")
	text, err := os.ReadFile(filepath.Join(folder, "sandbox.json"))
	if err != nil {
		log.Fatalf("No sandbox runs on %s: start one, or name its state folder in KARAT_STATE_DIR.", folder)
	}
	var sandbox struct {
		URL      string `json:"partner_api_url"`
		Partners []struct {
			ID      string `json:"partner_id"`
			KeyFile string `json:"wallet_keypair"`
		} `json:"partners"`
		Users []struct {
			ID      string `json:"service_user_id"`
			KeyFile string `json:"keypair"`
		} `json:"users"`
	}
	must(0, json.Unmarshal(text, &sandbox))
	acme, ayesha := sandbox.Partners[0], sandbox.Users[0]
	partner := karat.NewWallet(must(karat.ReadKeyFile(filepath.Join(folder, acme.KeyFile))))
	customer := karat.NewWallet(must(karat.ReadKeyFile(filepath.Join(folder, ayesha.KeyFile))))

	options := karat.Options{BaseURL: sandbox.URL}
	minted := must(karat.MintAPIKey(ctx, options, acme.ID, "first trade", partner))
	options.APIKey = minted.APIKey
	client := must(karat.New(options))

	request := karat.QuoteBuyRequest{ServiceUserID: ayesha.ID, UsdcAmount: karat.MustDecimal("100")}
	trade := must(client.Buys.Execute(ctx, request, karat.Signing{Signers: []karat.Signer{customer, partner}}))
	fmt.Println(trade.TradeID, trade.Status, trade.GoldAmount, "GOLD for", trade.UsdcAmount, "USDC")
	fmt.Println(must(client.Users.Balances(ctx, ayesha.ID)).Gold, "GOLD in the wallet")
}

// must returns the value of a call, and ends the program with its error.
func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
