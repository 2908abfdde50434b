package karat

import (
	"context"
)

// Prices are those of gold.
type Prices struct{ client *Client }

// Get returns the price that a quote would have now.
func (p *Prices) Get(ctx context.Context) (*Price, error) {
	return get[Price](ctx, p.client, "/v1/price", nil)
}

// History returns the candles of a time, oldest first, at most 1,000.
func (p *Prices) History(ctx context.Context, query ListPriceHistoryParams) ([]Candle, error) {
	page, err := get[ListPriceHistoryResult](ctx, p.client, "/v1/price/history", query)
	if err != nil {
		return nil, err
	}
	return page.Candles, nil
}

// Closures returns when the market is closed in the same time, oldest first; nothing for candles of a day.
func (p *Prices) Closures(ctx context.Context, query ListPriceHistoryParams) ([]Closure, error) {
	page, err := get[ListPriceHistoryResult](ctx, p.client, "/v1/price/history", query)
	if err != nil {
		return nil, err
	}
	return page.Closures, nil
}

// Countries are where customers may be, and what can be picked up there.
type Countries struct{ client *Client }

// List returns the countries where customers may be, with their types of ids.
func (c *Countries) List(ctx context.Context) ([]Country, error) {
	page, err := get[ListCountriesResult](ctx, c.client, "/v1/countries", nil)
	if err != nil {
		return nil, err
	}
	return page.Countries, nil
}

// Denominations returns the bars that can be picked up in a country, or in one of its cities.
func (c *Countries) Denominations(ctx context.Context, query ListDenominationsParams) ([]Denomination, error) {
	page, err := get[ListDenominationsResult](ctx, c.client, "/v1/denominations", query)
	if err != nil {
		return nil, err
	}
	return page.Denominations, nil
}

// Reserves are the gold that the tokens stand for, and what is signed about it.
type Reserves struct{ client *Client }

// Live returns what the chain and the records show now.
func (r *Reserves) Live(ctx context.Context) (*Backing, error) {
	return get[Backing](ctx, r.client, "/v1/reserves/live", nil)
}

// Latest returns the latest statement.
func (r *Reserves) Latest(ctx context.Context) (*SignedReserveStatement, error) {
	return get[SignedReserveStatement](ctx, r.client, "/v1/reserves", nil)
}

// Statements returns all statements, oldest first; each has the hash of the one before it.
func (r *Reserves) Statements(ctx context.Context) ([]SignedReserveStatement, error) {
	page, err := get[ListReserveStatementsResult](ctx, r.client, "/v1/reserves/statements", nil)
	if err != nil {
		return nil, err
	}
	return page.Statements, nil
}

// Reports returns the reports of the attestor that were published, newest first.
func (r *Reserves) Reports(ctx context.Context) ([]AttestationReport, error) {
	page, err := get[ListAttestationReportsResult](ctx, r.client, "/v1/reserves/reports", nil)
	if err != nil {
		return nil, err
	}
	return page.Reports, nil
}

// Statement returns a statement.
func (r *Reserves) Statement(ctx context.Context, statementID string) (*SignedReserveStatement, error) {
	return get[SignedReserveStatement](ctx, r.client, "/v1/reserves/statements"+part(statementID), nil)
}

// Bars returns the bars of a statement, in the order of its Merkle tree.
func (r *Reserves) Bars(ctx context.Context, statementID string) ([]ReserveBar, error) {
	page, err := get[ListReserveBarsResult](ctx, r.client, "/v1/reserves/statements"+part(statementID)+"/bars", nil)
	if err != nil {
		return nil, err
	}
	return page.Bars, nil
}

// Proof returns the proof that a bar is in a statement.
func (r *Reserves) Proof(ctx context.Context, statementID string, query ProveReserveBarParams) (*InclusionProof, error) {
	return get[InclusionProof](ctx, r.client, "/v1/reserves/statements"+part(statementID)+"/proof", query)
}
