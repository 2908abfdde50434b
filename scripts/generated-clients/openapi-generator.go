package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"karat.example/clients/operator"
	"karat.example/clients/partner"
	"karat.example/clients/tradebook"
)

const amount, ounces = 98765.432109, 123.456789

func check(response *http.Response, err error) {
	if err != nil {
		log.Fatal(response, err)
	}
}

func main() {
	ctx := context.Background()

	trades := partner.NewConfiguration()
	trades.Servers[0].URL = os.Getenv("KARAT_PARTNER_URL")
	trades.AddDefaultHeader("x-api-key", os.Getenv("KARAT_PARTNER_KEY"))
	buy := partner.QuoteBuyByUsdcAmountAsQuoteBuyRequest(
		partner.NewQuoteBuyByUsdcAmount(os.Getenv("KARAT_USER"), amount))
	quoted, response, err := partner.NewAPIClient(trades).TradesAPI.QuoteBuy(ctx).QuoteBuyRequest(buy).Execute()
	check(response, err)
	fmt.Println("partner", quoted.Quote.UsdcAmount)

	prices := tradebook.NewConfiguration()
	prices.Servers[0].URL = os.Getenv("KARAT_TRADEBOOK_URL")
	prices.AddDefaultHeader("x-api-key", os.Getenv("KARAT_TRADEBOOK_KEY"))
	estimated, response, err := tradebook.NewAPIClient(prices).PricesAPI.EstimatePurchase(ctx).
		EstimatePurchaseRequest(*tradebook.NewEstimatePurchaseRequest(ounces)).Execute()
	check(response, err)
	fmt.Println("tradebook", estimated.Data.GoldAmount)

	limits := operator.NewConfiguration()
	limits.Servers[0].URL = os.Getenv("KARAT_OPERATOR_URL")
	limits.AddDefaultHeader("authorization", "Bearer "+os.Getenv("KARAT_OPERATOR_TOKEN"))
	change := operator.NewPutPartnerLimitsRequest()
	change.SetPartnerDailyGold(amount)
	changed, response, err := operator.NewAPIClient(limits).LimitsAPI.PutPartnerLimits(ctx, os.Getenv("KARAT_PARTNER")).
		PutPartnerLimitsRequest(*change).Execute()
	check(response, err)
	fmt.Println("operator", *changed.Own.PartnerDailyGold.Get())
}
