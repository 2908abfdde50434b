// A first trade in a sandbox that runs: a partner registers a customer, who buys gold for 100 USDC.
package main

import (
	"context"
	"fmt"
	"time"

	karat "github.com/karat-gold/karat/packages/sdk-go"
)

func main() {
	ctx, sandbox := context.Background(), readSandbox()
	partner := karat.NewWallet(must(karat.ReadKeyFile(sandbox.partnerKeyFile)))
	customer := karat.NewWallet(must(karat.ReadKeyFile(sandbox.customerKeyFile)))

	options := karat.Options{BaseURL: sandbox.url}
	minted := must(karat.MintAPIKey(ctx, options, sandbox.partnerID, "first trade", partner))
	options.APIKey = minted.APIKey
	client := must(karat.New(options))

	kyc := karat.Kyc{Country: "PK", FullName: "Sana Malik", KycProvider: "by hand", KycLevel: "full"}
	kyc.KycVerifiedAt = time.Now().Format(time.RFC3339)
	user := must(client.Users.Create(ctx, karat.CreateUserRequest{
		UserID: customer.Address(), WalletAddress: customer.Address(), Kyc: kyc,
	}))
	request := karat.QuoteBuyRequest{ServiceUserID: user.ServiceUserID, UsdcAmount: karat.MustDecimal("100")}
	trade := must(client.Buys.Execute(ctx, request, karat.Signing{Signers: []karat.Signer{customer, partner}}))
	fmt.Println(trade.TradeID, trade.Status, trade.GoldAmount, "GOLD for", trade.UsdcAmount, "USDC")
	fmt.Println(must(client.Users.Balances(ctx, user.ServiceUserID)).Gold, "GOLD in the wallet")
}
