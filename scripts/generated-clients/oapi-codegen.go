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

func header(name, value string) func(context.Context, *http.Request) error {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set(name, value)
		return nil
	}
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx, exact := context.Background(), amount

	trades := must(partner.NewClientWithResponses(os.Getenv("KARAT_PARTNER_URL"),
		partner.WithRequestEditorFn(header("x-api-key", os.Getenv("KARAT_PARTNER_KEY")))))
	var buy partner.QuoteBuyRequest
	if err := buy.FromQuoteBuyByUsdcAmount(
		partner.QuoteBuyByUsdcAmount{ServiceUserId: os.Getenv("KARAT_USER"), UsdcAmount: amount}); err != nil {
		log.Fatal(err)
	}
	quoted := must(trades.QuoteBuyWithResponse(ctx, nil, buy))
	if quoted.JSON200 == nil {
		log.Fatal(quoted.Status(), string(quoted.Body))
	}
	fmt.Println("partner", quoted.JSON200.Quote.UsdcAmount)

	prices := must(tradebook.NewClientWithResponses(os.Getenv("KARAT_TRADEBOOK_URL"),
		tradebook.WithRequestEditorFn(header("x-api-key", os.Getenv("KARAT_TRADEBOOK_KEY")))))
	estimated := must(prices.EstimatePurchaseWithResponse(ctx, nil, tradebook.EstimatePurchaseRequest{GoldAmount: ounces}))
	if estimated.JSON200 == nil {
		log.Fatal(estimated.Status(), string(estimated.Body))
	}
	fmt.Println("tradebook", estimated.JSON200.Data.GoldAmount)

	limits := must(operator.NewClientWithResponses(os.Getenv("KARAT_OPERATOR_URL"),
		operator.WithRequestEditorFn(header("authorization", "Bearer "+os.Getenv("KARAT_OPERATOR_TOKEN")))))
	changed := must(limits.PutPartnerLimitsWithResponse(ctx, os.Getenv("KARAT_PARTNER"), nil,
		operator.PutPartnerLimitsRequest{PartnerDailyGold: &exact}))
	if changed.JSON200 == nil {
		log.Fatal(changed.Status(), string(changed.Body))
	}
	fmt.Println("operator", *changed.JSON200.Own.PartnerDailyGold)
}
