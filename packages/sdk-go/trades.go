package karat

import (
	"context"
	"iter"
)

// Trades are the records of buys and sells.
type Trades struct{ client *Client }

// Get returns a trade that is on chain.
func (t *Trades) Get(ctx context.Context, tradeID string) (*Trade, error) {
	return get[Trade](ctx, t.client, "/v1/trades"+part(tradeID), nil)
}

// List lists trades, newest first.
func (t *Trades) List(ctx context.Context, query ListTradesParams) iter.Seq2[Trade, error] {
	return listOf(ctx, t.client, "/v1/trades", query, func(page *ListTradesResult) ([]Trade, string) {
		return page.Trades, page.NextCursor
	})
}

// Buys are purchases of GOLD for USDC.
type Buys struct{ client *Client }

// Quote returns what a buy would be now, with its transaction.
func (b *Buys) Quote(ctx context.Context, request QuoteBuyRequest, options ...CallOption) (*QuoteBuyResult, error) {
	return post[QuoteBuyResult](ctx, b.client, "/v1/buy", request, options)
}

// Sign returns the transaction of a quote (base64) with the signatures of the signers, if it is the one of the quote's own
// request. It fails with CodeTransactionUnexpected if it is not, before any signer is called.
func (b *Buys) Sign(ctx context.Context, quote *QuoteBuyResult, request QuoteBuyRequest, signing Signing) (string, error) {
	check := func(network *SolanaNetwork, parties Parties) error { return CheckBuy(request, quote, network, parties) }
	return b.client.pins.sign(ctx, signable{user: request.ServiceUserID, transaction: quote.PartiallySignedTransaction, check: check}, signing)
}

// Submit sends the quote's transaction (base64) with all signatures.
func (b *Buys) Submit(ctx context.Context, tradeID, signedTx string, options ...CallOption) (*SubmitBuyResult, error) {
	return post[SubmitBuyResult](ctx, b.client, "/v1/buy"+part(tradeID)+"/submit", SubmitBuyRequest{SignedTx: signedTx}, options)
}

// Execute quotes, has customer and partner sign what is the transaction of the request, submits, and returns the record once
// the chain has confirmed it. It fails with CodeTradeFailed and the reason for one that failed on chain, CodeExpired when the
// quote's time is over, and CodeTimeout when Signing.Wait is.
func (b *Buys) Execute(ctx context.Context, request QuoteBuyRequest, signing Signing) (*Trade, error) {
	quote, err := b.Quote(ctx, request)
	if err != nil {
		return nil, err
	}
	signed, err := b.Sign(ctx, quote, request, signing)
	if err != nil {
		return nil, err
	}
	return carryOut[Trade](ctx, b.client, quote.TradeID, signing.Wait, func() error {
		_, err := b.Submit(ctx, quote.TradeID, signed)
		return err
	})
}

// Sells are sales of GOLD for USDC.
type Sells struct{ client *Client }

// Quote returns what a sell would be now, with its transaction.
func (s *Sells) Quote(ctx context.Context, request QuoteSellRequest, options ...CallOption) (*QuoteSellResult, error) {
	return post[QuoteSellResult](ctx, s.client, "/v1/sell", request, options)
}

// Sign is Buys.Sign for sells.
func (s *Sells) Sign(ctx context.Context, quote *QuoteSellResult, request QuoteSellRequest, signing Signing) (string, error) {
	check := func(network *SolanaNetwork, parties Parties) error {
		return CheckSell(request, quote, network, parties)
	}
	return s.client.pins.sign(ctx, signable{user: request.ServiceUserID, transaction: quote.PartiallySignedTransaction, check: check}, signing)
}

// Submit is Buys.Submit for sells.
func (s *Sells) Submit(ctx context.Context, tradeID, signedTx string, options ...CallOption) (*SubmitSellResult, error) {
	return post[SubmitSellResult](ctx, s.client, "/v1/sell"+part(tradeID)+"/submit", SubmitSellRequest{SignedTx: signedTx}, options)
}

// Execute is Buys.Execute for sells.
func (s *Sells) Execute(ctx context.Context, request QuoteSellRequest, signing Signing) (*Trade, error) {
	quote, err := s.Quote(ctx, request)
	if err != nil {
		return nil, err
	}
	signed, err := s.Sign(ctx, quote, request, signing)
	if err != nil {
		return nil, err
	}
	return carryOut[Trade](ctx, s.client, quote.TradeID, signing.Wait, func() error {
		_, err := s.Submit(ctx, quote.TradeID, signed)
		return err
	})
}
