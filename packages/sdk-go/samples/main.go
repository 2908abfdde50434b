// Samples goes through the partner API from a key to a bar of gold, against a sandbox that runs. Its regions are the samples of
// the reference, by the names of operations, and those of docs/partner-guide.md. The programs of the other SDKs have the same
// regions and print the same.
//
//	KARAT_STATE_DIR=../../.karat go run ./samples [<key file of the customer>]
package main

// #region setup
import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// #region client
import karat "github.com/karat-gold/karat/packages/sdk-go"

// #endregion client

var (
	ctx    = context.Background()
	folder = cmp.Or(os.Getenv("KARAT_STATE_DIR"), ".karat")

	baseURL, partnerID = readSandbox()

	partner  = walletOf("keys/acme-wallet.json")
	customer = walletOf(append(os.Args[1:], "keys/spare-1.json")[0])
)

func readSandbox() (baseURL, partnerID string) {
	var sandbox struct {
		URL      string `json:"partner_api_url"`
		Partners []struct {
			ID string `json:"partner_id"`
		} `json:"partners"`
	}
	text, err := os.ReadFile(filepath.Join(folder, "sandbox.json"))
	if err != nil {
		log.Fatalf("No sandbox runs on %s: start one, or name its state folder in KARAT_STATE_DIR.", folder)
	}
	must(0, json.Unmarshal(text, &sandbox))
	return sandbox.URL, sandbox.Partners[0].ID
}

func walletOf(file string) *karat.Wallet {
	return karat.NewWallet(must(karat.ReadKeyFile(filepath.Join(folder, file))))
}

// must returns the value of a call, and ends the program with its error.
func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// #endregion setup

func main() {
	// #region authentication
	// #region createChallenge
	// #region createApiKey
	// Requests a challenge, has the partner's wallet sign it, and sends the signature.
	options := karat.Options{BaseURL: baseURL}
	minted := must(karat.MintAPIKey(ctx, options, partnerID, "guide", partner))
	// #endregion createApiKey
	// #endregion createChallenge
	// #region client
	client := must(karat.New(karat.Options{BaseURL: baseURL, APIKey: minted.APIKey}))
	// #endregion client
	fmt.Println("key", minted.KeyID)
	// #endregion authentication

	// #region listApiKeys
	var keys karat.ListAPIKeysResult
	must(0, client.Do(ctx, "GET", "/v1/partner/api-keys", nil, &keys))
	fmt.Println(keys.APIKeys[0].KeyName, keys.APIKeys[0].Status)
	// #endregion listApiKeys

	discover(client)
	user := register(client)
	readPrices(client)
	bought, trade := buy(client, user)
	sell(client, user)
	redeem(client, user)
	follow(client, bought)
	receiveWebhooks(client, bought, trade)

	// #region revokeApiKey
	var revoked karat.RevokeAPIKeyResult
	must(0, client.Do(ctx, "POST", "/v1/partner/api-keys/"+minted.KeyID+"/revoke", nil, &revoked))
	fmt.Println("key", revoked.Status)
	// #endregion revokeApiKey
}

func discover(client *karat.Client) {
	// #region discovery
	// #region getMe
	me := must(client.Me(ctx))
	fmt.Println(me.Name, *me.OpenFeeBps)
	// #endregion getMe
	// #region getNetwork
	network := must(client.Network(ctx))
	fmt.Println(network.Network, network.ExplorerURLTemplate)
	// #endregion getNetwork
	// #region listCountries
	for _, country := range must(client.Countries.List(ctx)) {
		if country.Denominations > 0 {
			fmt.Println(country.Code, country.Name)
		}
	}
	// #endregion listCountries
	// #endregion discovery
}

func register(client *karat.Client) *karat.CreatedUser {
	// #region createUser
	user := must(client.Users.Create(ctx, karat.CreateUserRequest{
		UserID:        "customer-" + customer.Address(),
		WalletAddress: customer.Address(),
		Kyc: karat.Kyc{
			Country:       "PK",
			FullName:      "Bilal Ahmed",
			KycProvider:   "by hand",
			KycLevel:      "full",
			KycVerifiedAt: "2026-01-15T09:30:00+05:00",
			KycData:       map[string]any{"id_type": "cnic", "id_number": "42101-7654321-3"},
		},
	}))
	// #endregion createUser

	// #region getUser
	found := must(client.Users.Get(ctx, user.ServiceUserID))
	fmt.Println("user", found.Status, found.Kyc.KycLevel)
	// #endregion getUser

	// #region listUsers
	active := client.Users.List(ctx, karat.ListUsersParams{Status: karat.UserStatusActive})
	newest := must(karat.Take(active, 1))[0]
	fmt.Println("newest", newest.ServiceUserID == user.ServiceUserID)
	// #endregion listUsers

	// #region getUserBalances
	balances := must(client.Users.Balances(ctx, user.ServiceUserID))
	fmt.Println("balances", balances.Gold, balances.Usdc)
	// #endregion getUserBalances
	return user
}

func readPrices(client *karat.Client) {
	// #region prices
	// #region getPrice
	price := must(client.Prices.Get(ctx))
	fmt.Println("price", price.Market, price.PricePerTroyOz)
	// #endregion getPrice
	// #region listPriceHistory
	query := karat.ListPriceHistoryParams{Interval: "1m"}
	candles := must(client.Prices.History(ctx, query))
	fmt.Println("close", candles[len(candles)-1].Close)
	// #endregion listPriceHistory
	// #endregion prices
}

// buy returns two trades.
func buy(client *karat.Client, user *karat.CreatedUser) (*karat.Trade, *karat.Trade) {
	// #region buy
	slippage := int64(100)
	bought := must(client.Buys.Execute(ctx, karat.QuoteBuyRequest{
		ServiceUserID: user.ServiceUserID,
		UsdcAmount:    karat.MustDecimal("1000"),
		SlippageBps:   &slippage,
	}, karat.Signing{Signers: []karat.Signer{partner, customer}}))
	fmt.Println(bought.Status, bought.GoldAmount, "GOLD")
	// #endregion buy

	// #region submitBuy
	// #region quoteBuy
	request := karat.QuoteBuyRequest{
		ServiceUserID: user.ServiceUserID,
		GoldAmount:    karat.MustDecimal("0.5"),
	}
	quote := must(client.Buys.Quote(ctx, request))
	fmt.Println("half an ounce for", quote.Quote.UsdcAmount, "USDC")
	// #endregion quoteBuy
	// #endregion submitBuy

	// #region inspectTransaction
	inspected := must(client.InspectTransaction(ctx, quote.PartiallySignedTransaction))
	fmt.Println(inspected.Summary)
	// #endregion inspectTransaction

	// #region submitBuy
	// #region signing
	// Compares the transaction with the request before anyone signs.
	signing := karat.Signing{Signers: []karat.Signer{partner, customer}}
	signed := must(client.Buys.Sign(ctx, quote, request, signing))
	sent := must(client.Buys.Submit(ctx, quote.TradeID, signed))
	fmt.Println("sent", sent.TxHash)
	// #endregion signing
	// #endregion submitBuy

	// #region getOperation
	// Waits until the transaction is on chain, or can no longer land.
	operation := must(client.Operations.Outcome(ctx, quote.TradeID, 0))
	fmt.Println("half an ounce", operation.Status)
	// #endregion getOperation

	// #region getTrade
	trade := must(client.Trades.Get(ctx, quote.TradeID))
	fmt.Println(trade.Side, trade.GoldAmount, "GOLD")
	// #endregion getTrade
	return bought, trade
}

func sell(client *karat.Client, user *karat.CreatedUser) {
	// #region sell
	sold := must(client.Sells.Execute(ctx, karat.QuoteSellRequest{
		ServiceUserID: user.ServiceUserID,
		UsdcAmount:    karat.MustDecimal("250"),
	}, karat.Signing{Signers: []karat.Signer{partner, customer}}))
	fmt.Println(sold.Status, sold.UsdcAmount, "USDC")
	// #endregion sell

	// #region submitSell
	// #region quoteSell
	request := karat.QuoteSellRequest{
		ServiceUserID: user.ServiceUserID,
		GoldAmount:    karat.MustDecimal("0.1"),
	}
	offer := must(client.Sells.Quote(ctx, request))
	fmt.Println("a tenth of an ounce for", offer.Quote.UsdcAmount, "USDC")
	// #endregion quoteSell

	signing := karat.Signing{Signers: []karat.Signer{partner, customer}}
	signed := must(client.Sells.Sign(ctx, offer, request, signing))
	must(client.Sells.Submit(ctx, offer.TradeID, signed))
	fmt.Println("a tenth", must(client.Operations.Outcome(ctx, offer.TradeID, 0)).Status)
	// #endregion submitSell

	// #region listTrades
	query := karat.ListTradesParams{
		ServiceUserID: user.ServiceUserID,
		CreatedFrom:   "2026-01-01T00:00:00Z",
	}
	for trade, err := range client.Trades.List(ctx, query) {
		must(0, err)
		fmt.Println(trade.Side, trade.GoldAmount, "GOLD", trade.UsdcAmount, "USDC")
	}
	// #endregion listTrades

	// #region failure
	_, err := client.Buys.Execute(ctx, karat.QuoteBuyRequest{
		ServiceUserID: user.ServiceUserID,
		UsdcAmount:    karat.MustDecimal("100"),
		MinGoldOut:    karat.MustDecimal("1"),
	}, signing)
	var failure *karat.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Code, failure.Reason, failure.DocURL)
		if failure.OperationID != "" {
			fmt.Println("it is", must(client.Operations.Get(ctx, failure.OperationID, karat.GetOperationParams{})).Status)
		}
	}
	// #endregion failure
}

func redeem(client *karat.Client, user *karat.CreatedUser) {
	// #region redeem
	// #region listDenominations
	place := karat.ListDenominationsParams{Country: "PK", City: "Karachi"}
	bar := must(client.Countries.Denominations(ctx, place))[0]
	fmt.Println(bar.Label, bar.City)
	// #endregion listDenominations
	redemption := must(client.Redemptions.Execute(ctx, karat.QuoteRedemptionRequest{
		ServiceUserID:  user.ServiceUserID,
		DenominationID: bar.ID,
		City:           bar.City,
	}, karat.Signing{Signers: []karat.Signer{customer}}))
	fmt.Println(redemption.Status, redemption.Quote.TokensRequired, "GOLD")
	// #endregion redeem

	// #region submitRedemption
	// #region quoteRedemption
	request := karat.QuoteRedemptionRequest{
		ServiceUserID:  user.ServiceUserID,
		DenominationID: "pk_tola_1",
		City:           "Karachi",
	}
	cost := must(client.Redemptions.Quote(ctx, request))
	fmt.Println("a tola for", cost.Quote.TokensRequired, "GOLD")
	// #endregion quoteRedemption

	signing := karat.Signing{Signers: []karat.Signer{customer}}
	paid := must(client.Redemptions.Sign(ctx, cost, request, signing))
	must(client.Redemptions.Submit(ctx, cost.RedemptionID, paid))
	fmt.Println("a tola", must(client.Operations.Outcome(ctx, cost.RedemptionID, 0)).Status)
	// #endregion submitRedemption

	// #region getRedemption
	// While it is ready, the record has the PickupCode to show to the customer.
	record := must(client.Redemptions.Get(ctx, cost.RedemptionID))
	fmt.Println(record.Status, cmp.Or(record.PickupCode, "no code yet"))
	// #endregion getRedemption

	// #region listRedemptions
	query := karat.ListRedemptionsParams{ServiceUserID: user.ServiceUserID, City: "Karachi"}
	for one, err := range client.Redemptions.List(ctx, query) {
		must(0, err)
		fmt.Println(one.Denomination, one.Status)
	}
	// #endregion listRedemptions

	// #region cancelRedemption
	reason := karat.CancelRedemptionRequest{Reason: "moved to another city"}
	cancelled := must(client.Redemptions.Cancel(ctx, redemption.RedemptionID, reason))
	fmt.Println(cancelled.Status)
	// #endregion cancelRedemption

	// #region refused
	_, err := client.Buys.Quote(ctx, karat.QuoteBuyRequest{
		ServiceUserID: user.ServiceUserID,
		UsdcAmount:    karat.MustDecimal("-5"),
	})
	var failure *karat.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Code, failure.Field, failure.Status)
	}
	// #endregion refused
}

func follow(client *karat.Client, bought *karat.Trade) {
	// #region following
	// #region listEvents
	query := karat.ListEventsParams{ObjectID: bought.TradeID}
	first := must(karat.Take(client.Events.List(ctx, query), 1))[0]
	fmt.Println(first.Type)
	// #endregion listEvents
	// #region streamEvents
	wanted := karat.StreamOptions{
		After: first.ID,
		Types: []karat.EventType{"trade.confirmed", "redemption.submitted"},
	}
	for event, err := range client.Events.Stream(ctx, wanted) {
		must(0, err)
		fmt.Println(event.Type)
		if event.Data.ObjectType == "redemption" {
			break
		}
	}
	// #endregion streamEvents
	// #endregion following
}

func receiveWebhooks(client *karat.Client, bought, trade *karat.Trade) {
	// #region webhooks
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	// #region createWebhookEndpoint
	// The secret is shown only here.
	endpoint := must(client.WebhookEndpoints.Create(ctx, karat.CreateWebhookEndpointRequest{
		URL:   fmt.Sprintf("http://%s/karat", listener.Addr()),
		Types: []karat.EventType{"trade.confirmed", "redemption.ready"},
	}))
	// #endregion createWebhookEndpoint
	receive := func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		event, err := karat.VerifyWebhook(body, request.Header, endpoint.Secret)
		if err != nil {
			writer.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println("webhook", event.Type)
	}
	go http.Serve(listener, http.HandlerFunc(receive))
	// #region testWebhookEndpoint
	tested := must(client.WebhookEndpoints.Test(ctx, endpoint.EndpointID))
	fmt.Println("delivered", tested.Delivered)
	// #endregion testWebhookEndpoint
	// #endregion webhooks

	changeWebhooks(client, endpoint, bought, trade)
	listener.Close()
}

func changeWebhooks(client *karat.Client, endpoint *karat.WebhookEndpointWithSecret, bought, trade *karat.Trade) {
	// #region listWebhookEndpoints
	all := client.WebhookEndpoints.List(ctx, karat.ListWebhookEndpointsParams{})
	for listed, err := range all {
		must(0, err)
		if listed.URL == endpoint.URL {
			fmt.Println("endpoint", listed.Status)
		}
	}
	// #endregion listWebhookEndpoints

	// #region getWebhookEndpoint
	found := must(client.WebhookEndpoints.Get(ctx, endpoint.EndpointID))
	fmt.Println(joined(found.Types))
	// #endregion getWebhookEndpoint

	// #region changeWebhookEndpoint
	types := []karat.EventType{"trade.confirmed"}
	changes := karat.ChangeWebhookEndpointRequest{Types: &types}
	changed := must(client.WebhookEndpoints.Update(ctx, endpoint.EndpointID, changes))
	fmt.Println(joined(changed.Types))
	// #endregion changeWebhookEndpoint

	// #region resendWebhookEvents
	period := karat.ResendWebhookEventsRequest{From: bought.CreatedAt, To: trade.CreatedAt}
	again := must(client.WebhookEndpoints.Resend(ctx, endpoint.EndpointID, period))
	fmt.Println("resent", again.Resent > 0)
	// #endregion resendWebhookEvents

	// #region listWebhookDeliveries
	query := karat.ListWebhookDeliveriesParams{}
	deliveries := client.WebhookEndpoints.Deliveries(ctx, endpoint.EndpointID, query)
	fmt.Println("delivery of", must(karat.Take(deliveries, 1))[0].Type)
	// #endregion listWebhookDeliveries

	// #region rotateWebhookSecret
	// For an hour both secrets sign.
	overlap := karat.RotateWebhookSecretRequest{OverlapHours: karat.MustDecimal("1")}
	rotated := must(client.WebhookEndpoints.RotateSecret(ctx, endpoint.EndpointID, overlap))
	fmt.Println("rotated", rotated.Secret != endpoint.Secret)
	// #endregion rotateWebhookSecret

	// #region deleteWebhookEndpoint
	must(0, client.WebhookEndpoints.Delete(ctx, endpoint.EndpointID))
	// #endregion deleteWebhookEndpoint
}

func joined(types []karat.EventType) string {
	var names []string
	for _, one := range types {
		names = append(names, string(one))
	}
	return strings.Join(names, ",")
}
