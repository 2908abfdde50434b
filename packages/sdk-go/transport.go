package karat

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"
)

const (
	defaultRetries = 3
	defaultTimeout = 40 * time.Second
	firstDelay     = 250 * time.Millisecond
	longestDelay   = 70 * time.Second
)

// transport sends requests, and repeats what can be repeated.
type transport struct {
	baseURL    string
	apiKey     string
	maxRetries int
	timeout    time.Duration
	client     http.Client
}

func newTransport(options Options) (*transport, error) {
	baseURL, err := secureURL(options.BaseURL)
	if err != nil {
		return nil, err
	}
	t := &transport{baseURL: baseURL, apiKey: options.APIKey, maxRetries: max(0, options.MaxRetries), timeout: options.Timeout}
	if options.MaxRetries == 0 {
		t.maxRetries = defaultRetries
	}
	if t.timeout <= 0 {
		t.timeout = defaultTimeout
	}
	if options.HTTPClient != nil {
		t.client = *options.HTTPClient
	}
	t.client.Timeout = 0
	// A redirect would carry the API key elsewhere: it is the response itself, and no success.
	t.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return t, nil
}

// call sends a request until it has a response that counts: not after a cut connection, 429, 502, 503 or 504. A write has one
// idempotency key for all tries; if the last try of a write gets 429, the outcome of an earlier one that may have been carried
// out is what returns. It waits as long as the API asks for, or ever longer.
func (t *transport) call(ctx context.Context, method, path string, body []byte, header http.Header) (*reply, error) {
	isWrite := method != http.MethodGet
	if isWrite && header.Get("Idempotency-Key") == "" {
		header.Set("Idempotency-Key", newUUID())
	}
	// A challenge is used up by the key that it is for, whether or not the response arrives.
	once := path == mintPath
	var lost outcome
	for tried := 0; ; tried++ {
		last := tried >= t.maxRetries
		response, err := t.try(ctx, method, path, body, header)
		wait := backoff(tried)
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			failed := &Error{Code: CodeNetworkError, Message: fmt.Sprintf("The API at %s did not respond.", t.baseURL), cause: err}
			if last || once {
				return nil, failed
			}
			if isWrite {
				lost = outcome{err: failed}
			}
		} else {
			asked, isAsked := retryAfter(response.header)
			if isAsked {
				wait = asked
			}
			if isWrite && response.status >= 500 {
				lost = outcome{reply: response}
			}
			isOver := last || wait > longestDelay || !isPassing(response, tried) || (once && response.status != http.StatusTooManyRequests)
			if isOver {
				return lost.orRather(response)
			}
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// outcome is that of the last try that may have been carried out.
type outcome struct {
	reply *reply
	err   error
}

func (o outcome) orRather(response *reply) (*reply, error) {
	if o == (outcome{}) {
		return response, nil
	}
	// A 429 for the repeat does not mean that the earlier try did nothing.
	if response.status == http.StatusTooManyRequests {
		if o.err != nil {
			return nil, o.err
		}
		response = o.reply
	}
	response.afterLostTry = true
	return response, nil
}

// isPassing returns whether a response may be another one the next time.
func isPassing(response *reply, tried int) bool {
	switch response.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusConflict:
		// An earlier try, whose response was lost, has not ended yet.
		return tried > 0 && bytes.Contains(response.body, []byte(`"idempotency_conflict"`))
	}
	return false
}

// try sends a request once, and reads the response to its end, so that one that is cut counts as none.
func (t *transport) try(ctx context.Context, method, path string, body []byte, header http.Header) (*reply, error) {
	limited, cancel := context.WithTimeoutCause(ctx, t.timeout, errors.New("no response in time"))
	defer cancel()
	response, err := t.open(limited, method, path, body, header)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return &reply{status: response.StatusCode, header: response.Header, body: content}, nil
}

// open sends a request and returns the response before its body.
func (t *transport) open(ctx context.Context, method, path string, body []byte, header http.Header) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, t.baseURL+path, content)
	if err != nil {
		return nil, err
	}
	request.Header = header.Clone()
	if t.apiKey != "" {
		request.Header.Set("X-Api-Key", t.apiKey)
	}
	return t.client.Do(request)
}

func backoff(tried int) time.Duration {
	return time.Duration(float64(firstDelay<<min(tried, 16)) * (0.5 + mathrand.Float64()/2))
}

// pause waits; it fails with what the context ends with.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func newUUID() string {
	var bytes [16]byte
	rand.Read(bytes[:])
	bytes[6] = bytes[6]&0x0f | 0x40
	bytes[8] = bytes[8]&0x3f | 0x80
	return uuidText(bytes[:])
}

func uuidText(bytes []byte) string {
	text := fmt.Sprintf("%x", bytes)
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}
