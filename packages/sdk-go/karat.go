// Package karat is the partner API of Karat: buy, sell and redeem gold on Solana.
//
// Nothing is signed but the transaction of the request, requests that got no response are repeated without doing anything
// twice, and no amount passes a float. README.md has the first trade.
package karat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Options are where the API is, and who calls it.
type Options struct {
	// BaseURL is where the API is, without /v1: https, or http on this machine.
	BaseURL string
	APIKey  string
	// Network is what transactions are for, such as what Client.Network returned when you made sure of it. Default: what the
	// API says when it is needed first, which nothing may change from then on.
	Network *SolanaNetwork
	// PartnerID is the id of your partner, by your own records. Default: what the API says before the first redemption is
	// signed.
	PartnerID string
	// MaxRetries is how often a request is repeated. Default: 3; negative: never.
	MaxRetries int
	// Timeout is how long one try may take. Default: 40 s. Streams have StreamOptions.Silence instead.
	Timeout time.Duration
	// HTTPClient has the transport to use. Its Timeout and CheckRedirect do not count: no redirect is followed.
	HTTPClient *http.Client
}

// Client is the partner API with one key. It may be used by many goroutines at once.
type Client struct {
	Users            *Users
	Buys             *Buys
	Sells            *Sells
	Trades           *Trades
	Redemptions      *Redemptions
	Operations       *Operations
	Events           *Events
	WebhookEndpoints *WebhookEndpoints
	Prices           *Prices
	Countries        *Countries
	Reserves         *Reserves

	transport *transport
	pins      *pins
}

// New returns a client. It fails with CodeURLInsecure for a BaseURL over which others could read the key and change what is
// to be signed: http to any other machine.
func New(options Options) (*Client, error) {
	transport, err := newTransport(options)
	if err != nil {
		return nil, err
	}
	client := &Client{transport: transport}
	client.pins = newPins(client, options.Network, options.PartnerID)
	client.Users = &Users{client}
	client.Buys = &Buys{client}
	client.Sells = &Sells{client}
	client.Trades = &Trades{client}
	client.Redemptions = &Redemptions{client}
	client.Operations = &Operations{client}
	client.Events = &Events{client}
	client.WebhookEndpoints = &WebhookEndpoints{client}
	client.Prices = &Prices{client}
	client.Countries = &Countries{client}
	client.Reserves = &Reserves{client}
	return client, nil
}

// Me returns the partner that the key acts for, with its fees and limits.
func (c *Client) Me(ctx context.Context) (*Me, error) {
	return get[Me](ctx, c, "/v1/me", nil)
}

// Network returns the network that transactions are for, with the addresses on it. It fails with CodeNetworkChanged if these
// are not the pinned ones.
func (c *Client) Network(ctx context.Context) (*SolanaNetwork, error) {
	return c.pins.readNetwork(ctx)
}

// InspectTransaction returns what a transaction (base64) does, and what is wrong with it.
func (c *Client) InspectTransaction(ctx context.Context, transaction string) (*InspectTransactionResult, error) {
	return post[InspectTransactionResult](ctx, c, "/v1/transactions/inspect", InspectTransactionRequest{Transaction: transaction}, nil)
}

// CallOption is what a write may be given besides its input.
type CallOption func(http.Header)

// WithIdempotencyKey makes a write take effect once within 24 hours, also after a restart. Default: a new key for each call,
// the same for all of its tries.
func WithIdempotencyKey(key string) CallOption {
	return func(header http.Header) { header.Set("Idempotency-Key", key) }
}

// Do calls any route of the API, with the same key and retries: body is sent as JSON unless it is nil, and the response is
// read into result unless that is nil. path begins with a slash and may have a query.
func (c *Client) Do(ctx context.Context, method, path string, body, result any, options ...CallOption) error {
	header := http.Header{}
	header.Set("Accept", "application/json")
	var content []byte
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("karat: the body of %s %s: %w", method, path, err)
		}
		content = encoded
		header.Set("Content-Type", "application/json")
	}
	for _, option := range options {
		option(header)
	}
	reply, err := c.transport.call(ctx, method, path, content, header)
	if err != nil {
		return err
	}
	if reply.status < 200 || reply.status > 299 {
		return reply.asError()
	}
	if result == nil {
		return nil
	}
	if err := decode(reply.body, result); err != nil {
		return &Error{Code: CodeUnexpectedResponse, Message: "The response is not that of the API.", Status: reply.status, Body: reply.body, cause: err}
	}
	return nil
}

// decode reads JSON without making floats of numbers, also of those in values of any type.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text follows the JSON")
	}
	return nil
}

func get[Result any](ctx context.Context, c *Client, path string, query any) (*Result, error) {
	result := new(Result)
	if err := c.Do(ctx, http.MethodGet, path+queryOf(query), nil, result); err != nil {
		return nil, err
	}
	return result, nil
}

func post[Result any](ctx context.Context, c *Client, path string, body any, options []CallOption) (*Result, error) {
	result := new(Result)
	if err := c.Do(ctx, http.MethodPost, path, body, result, options...); err != nil {
		return nil, err
	}
	return result, nil
}

// part returns text as a part of a path. One that would make it another path, of a list even, is sent as "-", which is the id
// of nothing.
func part(text string) string {
	if text == "" || text == "." || text == ".." {
		text = "-"
	}
	return "/" + url.PathEscape(text)
}

var thisMachine = regexp.MustCompile(`^(localhost|.*\.localhost|127(\.\d+){3}|::1)$`)

// secureURL returns an address without slashes at its end.
func secureURL(text string) (string, error) {
	address, err := url.Parse(text)
	if err == nil && address.Host != "" {
		isHere := thisMachine.MatchString(address.Hostname())
		if address.Scheme == "https" || (address.Scheme == "http" && isHere) {
			return strings.TrimRight(text, "/"), nil
		}
	}
	return "", &Error{Code: CodeURLInsecure, Message: text + " is no https address: http is for this machine only.", cause: err}
}
