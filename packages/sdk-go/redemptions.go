package karat

import (
	"context"
	"iter"
)

// Redemptions are payments of GOLD for bars.
type Redemptions struct{ client *Client }

// Quote returns what a redemption would cost now, with its transaction.
func (r *Redemptions) Quote(ctx context.Context, request QuoteRedemptionRequest, options ...CallOption) (*QuoteRedemptionResult, error) {
	return post[QuoteRedemptionResult](ctx, r.client, "/v1/redemptions", request, options)
}

// Sign returns the transaction of a quote (base64) with the customer's signature. It fails as Buys.Sign does.
func (r *Redemptions) Sign(ctx context.Context, quote *QuoteRedemptionResult, request QuoteRedemptionRequest, signing Signing) (string, error) {
	check := func(network *SolanaNetwork, parties Parties) error { return CheckRedemption(quote, network, parties) }
	one := signable{user: request.ServiceUserID, transaction: quote.PartiallySignedTransaction, isRedemption: true, check: check}
	return r.client.pins.sign(ctx, one, signing)
}

// Submit sends the quote's transaction (base64) with the customer's signature.
func (r *Redemptions) Submit(ctx context.Context, redemptionID, signedTx string, options ...CallOption) (*SubmitRedemptionResult, error) {
	return post[SubmitRedemptionResult](ctx, r.client, "/v1/redemptions"+part(redemptionID)+"/submit", SubmitRedemptionRequest{SignedTx: signedTx}, options)
}

// Execute quotes, has the customer sign, submits, and returns the record once it is paid. It fails as Buys.Execute does, with
// CodeRedemptionFailed.
func (r *Redemptions) Execute(ctx context.Context, request QuoteRedemptionRequest, signing Signing) (*RedemptionWithFigures, error) {
	quote, err := r.Quote(ctx, request)
	if err != nil {
		return nil, err
	}
	signed, err := r.Sign(ctx, quote, request, signing)
	if err != nil {
		return nil, err
	}
	return carryOut[RedemptionWithFigures](ctx, r.client, quote.RedemptionID, signing.Wait, func() error {
		_, err := r.Submit(ctx, quote.RedemptionID, signed)
		return err
	})
}

// Cancel requests that a redemption be cancelled, and its GOLD returned.
func (r *Redemptions) Cancel(ctx context.Context, redemptionID string, request CancelRedemptionRequest, options ...CallOption) (*CancelRedemptionResult, error) {
	return post[CancelRedemptionResult](ctx, r.client, "/v1/redemptions"+part(redemptionID)+"/cancel", request, options)
}

// Get returns a redemption, with the pickup code while it is ready.
func (r *Redemptions) Get(ctx context.Context, redemptionID string) (*RedemptionWithCode, error) {
	return get[RedemptionWithCode](ctx, r.client, "/v1/redemptions"+part(redemptionID), nil)
}

// List lists redemptions, newest first.
func (r *Redemptions) List(ctx context.Context, query ListRedemptionsParams) iter.Seq2[Redemption, error] {
	return listOf(ctx, r.client, "/v1/redemptions", query, func(page *ListRedemptionsResult) ([]Redemption, string) {
		return page.Redemptions, page.NextCursor
	})
}
