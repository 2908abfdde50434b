package karat_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	karat "github.com/karat-gold/karat/packages/sdk-go"
)

// position returns the id of the last event, behind which a test looks.
func (s *setup) position(t *testing.T) string {
	t.Helper()
	user := must(s.Users.Create(ctx, newUser(t)))(t)
	events := must(karat.Collect(s.Events.List(ctx, karat.ListEventsParams{ObjectID: user.ServiceUserID})))(t)
	return events[len(events)-1].ID
}

// createUser creates a customer, and returns the id.
func (s *setup) createUser(t *testing.T) string {
	t.Helper()
	return must(s.Users.Create(ctx, newUser(t)))(t).ServiceUserID
}

// limited returns a context that ends with the test's patience.
func limited(t *testing.T) context.Context {
	t.Helper()
	waiting, cancel := context.WithTimeout(ctx, 30*time.Second)
	t.Cleanup(cancel)
	return waiting
}

// next returns a function that reads a stream event by event.
func next(t *testing.T, stream iter.Seq2[karat.Event, error]) func() karat.Event {
	t.Helper()
	pull, stop := iter.Pull2(stream)
	t.Cleanup(stop)
	return func() karat.Event {
		t.Helper()
		event, err, hasNext := pull()
		if !hasNext {
			t.Fatal("the stream has ended")
		}
		return must(event, err)(t)
	}
}

func userOf(t *testing.T, event karat.Event) string {
	t.Helper()
	var user karat.UserWithKyc
	if err := event.Decode(&user); err != nil || event.Data.ObjectType != karat.EventDataObjectTypeUser {
		t.Fatalf("the event is %+v: %v", event, err)
	}
	return user.ServiceUserID
}

var createdUsers = []karat.EventType{karat.EventTypeUserCreated}

func TestStreamGoesOnAfterACutWithoutAGap(t *testing.T) {
	p := startProxy(t, func(string) int { return -1 })
	direct, s := start(t, karat.Options{}), start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	after := direct.position(t)
	read := next(t, s.Events.Stream(limited(t), karat.StreamOptions{After: after, Types: createdUsers}))
	var created, received []string
	for round := range 3 {
		created = append(created, direct.createUser(t))
		received = append(received, userOf(t, read()))
		p.cutAll()
		created = append(created, direct.createUser(t), direct.createUser(t))
		received = append(received, userOf(t, read()), userOf(t, read()))
		if round == 0 {
			p.cutAll()
			p.cutAll()
		}
	}
	if !slices.Equal(created, received) {
		t.Errorf("created were %v, received %v", created, received)
	}
	events := must(karat.Collect(direct.Events.List(ctx, karat.ListEventsParams{After: after, Types: "user.created", Limit: "2"})))(t)
	for at, event := range events {
		if created[at] != userOf(t, event) {
			t.Errorf("event %d of the list is %+v", at, event)
		}
	}
}

func TestStreamFromNowOnGoesOnAfterACutWithoutAGap(t *testing.T) {
	p := startProxy(t, func(string) int { return -1 })
	direct, s := start(t, karat.Options{}), start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	waiting := limited(t)
	received := make(chan karat.Event, 100)
	go func() {
		defer close(received)
		for event, err := range s.Events.Stream(waiting, karat.StreamOptions{Types: createdUsers}) {
			if err != nil {
				t.Error(err)
				return
			}
			received <- event
		}
	}()
	// It begins at some moment after its first request.
	var created []string
	for len(received) == 0 && waiting.Err() == nil {
		created = append(created, direct.createUser(t))
		time.Sleep(200 * time.Millisecond)
	}
	first := userOf(t, <-received)
	p.cutAll()
	created = append(created, direct.createUser(t), direct.createUser(t))
	for _, id := range created[slices.Index(created, first)+1:] {
		if next := userOf(t, <-received); next != id {
			t.Fatalf("an event is of %s, not %s", next, id)
		}
	}
}

func TestStreamHasAnEventThatIsSentTwiceOnce(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		writer.Header().Set("Content-Type", "text/event-stream")
		for _, sequence := range []string{"1", "1", "2"} {
			_, _ = io.WriteString(writer, "id: evt_"+sequence+"\ndata: {\"id\":\"evt_"+sequence+"\",\"sequence\":"+sequence+"}\n\n")
		}
	}))
	defer server.Close()
	s := start(t, karat.Options{BaseURL: server.URL})
	events := must(karat.Take(s.Events.Stream(limited(t), karat.StreamOptions{}), 2))(t)
	if len(events) != 2 || events[0].Sequence != 1 || events[1].Sequence != 2 {
		t.Errorf("the events are %+v", events)
	}
}

func TestStreamThatIsSilentIsOpenedAgain(t *testing.T) {
	p := startProxy(t, func(string) int { return -1 })
	direct, s := start(t, karat.Options{}), start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	after := direct.position(t)
	first := direct.createUser(t)
	options := karat.StreamOptions{After: after, Types: createdUsers, Silence: 2 * time.Second}
	read := next(t, s.Events.Stream(limited(t), options))
	if id := userOf(t, read()); id != first {
		t.Fatalf("the first event is of %s, not %s", id, first)
	}
	p.mutex.Lock()
	p.isStalled = true
	p.mutex.Unlock()
	second := direct.createUser(t)
	time.AfterFunc(500*time.Millisecond, func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		// What arrived before is lost with its connection.
		p.isStalled = false
	})
	if id := userOf(t, read()); id != second {
		t.Errorf("the second event is of %s, not %s", id, second)
	}
	if count := p.count("GET /v1/events/stream"); count != 2 {
		t.Errorf("there were %d connections", count)
	}
}

func TestStreamOfABusyReaderIsNotSilent(t *testing.T) {
	p := startProxy(t, func(string) int { return -1 })
	direct, s := start(t, karat.Options{}), start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	after := direct.position(t)
	direct.createUser(t)
	options := karat.StreamOptions{After: after, Types: createdUsers, Silence: time.Second}
	read := next(t, s.Events.Stream(limited(t), options))
	read()
	time.Sleep(1500 * time.Millisecond)
	direct.createUser(t)
	read()
	if count := p.count("GET /v1/events/stream"); count != 1 {
		t.Errorf("there were %d connections", count)
	}
}

func TestStreamEndsWithItsContext(t *testing.T) {
	s := start(t, karat.Options{})
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	for event, err := range s.Events.Stream(short, karat.StreamOptions{Types: []karat.EventType{karat.EventTypePartnerSuspended}}) {
		t.Errorf("there was %+v, %v", event, err)
	}
}

func TestStreamWithoutAValidKeyIsRefused(t *testing.T) {
	s := start(t, karat.Options{APIKey: "service_partner_" + strings.Repeat("0", 64)})
	for _, err := range s.Events.Stream(limited(t), karat.StreamOptions{}) {
		requireError(t, err, karat.ErrorCodeUnauthorized)
		return
	}
	t.Error("the stream ended without an error")
}

func TestStreamThatNeverOpensFailsAfterItsTries(t *testing.T) {
	p := startProxy(t, func(string) int { return 0 })
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	for _, err := range s.Events.Stream(limited(t), karat.StreamOptions{}) {
		requireError(t, err, karat.CodeNetworkError)
		if count := p.count("GET /v1/events/stream"); count != 4 {
			t.Errorf("there were %d tries", count)
		}
		return
	}
	t.Error("the stream ended without an error")
}

// webhook is one as it was received.
type webhook struct {
	header http.Header
	body   string
}

// startReceiver starts a server for webhooks.
func startReceiver(t *testing.T) (url string, received chan webhook) {
	t.Helper()
	received = make(chan webhook, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		received <- webhook{request.Header, string(body)}
	}))
	t.Cleanup(server.Close)
	return server.URL, received
}

func TestWebhookIsVerifiedAndAChangedOneIsNot(t *testing.T) {
	s := start(t, karat.Options{})
	url, received := startReceiver(t)
	endpoint := must(s.WebhookEndpoints.Create(ctx, karat.CreateWebhookEndpointRequest{URL: url, Types: createdUsers}))(t)
	defer func() {
		if err := s.WebhookEndpoints.Delete(ctx, endpoint.EndpointID); err != nil {
			t.Error(err)
		}
		requireError(t, second(s.WebhookEndpoints.Get(ctx, endpoint.EndpointID)), karat.ErrorCodeEndpointNotFound)
	}()

	if tested := must(s.WebhookEndpoints.Test(ctx, endpoint.EndpointID))(t); !tested.Delivered || *tested.StatusCode != 200 {
		t.Errorf("the test has %+v", tested)
	}
	probe := <-received
	if event := must(karat.VerifyWebhook([]byte(probe.body), probe.header, endpoint.Secret))(t); event.Type != "webhook.test" {
		t.Errorf("the event is %+v", event)
	}

	created := s.createUser(t)
	sent := <-received
	event := must(karat.VerifyWebhook([]byte(sent.body), sent.header, endpoint.Secret))(t)
	if userOf(t, *event) != created {
		t.Errorf("the event is %+v", event)
	}
	changed := func(name, value string) http.Header {
		header := sent.header.Clone()
		header.Set(name, value)
		return header
	}
	for name, one := range map[string]struct {
		body   string
		header http.Header
		secret string
	}{
		"another body":      {sent.body + " ", sent.header, endpoint.Secret},
		"another secret":    {sent.body, sent.header, "whsec_AAAA"},
		"no secret":         {sent.body, sent.header, "whsec_"},
		"another id":        {sent.body, changed("Webhook-Id", "evt_1"), endpoint.Secret},
		"another time":      {sent.body, changed("Webhook-Timestamp", "1"), endpoint.Secret},
		"no time":           {sent.body, changed("Webhook-Timestamp", ""), endpoint.Secret},
		"another version":   {sent.body, changed("Webhook-Signature", "v2"+strings.TrimPrefix(sent.header.Get("Webhook-Signature"), "v1")), endpoint.Secret},
		"another signature": {sent.body, changed("Webhook-Signature", "v1,AAAA"), endpoint.Secret},
	} {
		_, err := karat.VerifyWebhook([]byte(one.body), one.header, one.secret)
		t.Run(name, func(t *testing.T) { requireError(t, err, karat.CodeSignatureInvalid) })
	}
	both := changed("Webhook-Signature", "v1,AAAA "+sent.header.Get("Webhook-Signature"))
	must(karat.VerifyWebhook([]byte(sent.body), both, endpoint.Secret))(t)

	rotated := must(s.WebhookEndpoints.RotateSecret(ctx, endpoint.EndpointID, karat.RotateWebhookSecretRequest{OverlapHours: dec("0.5")}))(t)
	if resent := must(s.WebhookEndpoints.Resend(ctx, endpoint.EndpointID, karat.ResendWebhookEventsRequest{EventID: event.ID}))(t); resent.Resent != 1 {
		t.Errorf("%d were sent again", resent.Resent)
	}
	again := <-received
	for _, secret := range []string{rotated.Secret, endpoint.Secret} {
		if repeated := must(karat.VerifyWebhook([]byte(again.body), again.header, secret))(t); repeated.ID != event.ID {
			t.Errorf("the event is %+v", repeated)
		}
	}
}

func TestWebhookOfAnotherTimeIsRefused(t *testing.T) {
	const secret, body = "whsec_c2VjcmV0", `{"id":"evt_1","sequence":1}`
	for name, age := range map[string]time.Duration{"": 4 * time.Minute, "old": 6 * time.Minute, "from the future": -6 * time.Minute} {
		timestamp := strconv.FormatInt(time.Now().Add(-age).Unix(), 10)
		mac := hmac.New(sha256.New, []byte("secret"))
		mac.Write([]byte("evt_1." + timestamp + "." + body))
		header := http.Header{}
		header.Set("Webhook-Id", "evt_1")
		header.Set("Webhook-Timestamp", timestamp)
		header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		event, err := karat.VerifyWebhook([]byte(body), header, secret)
		if name == "" {
			if must(event, err)(t); event.ID != "evt_1" {
				t.Errorf("the event is %+v", event)
			}
			continue
		}
		t.Run(name, func(t *testing.T) { requireError(t, err, karat.CodeSignatureInvalid) })
	}
}

func TestWebhookEndpointIsListedAndChanged(t *testing.T) {
	s := start(t, karat.Options{})
	url, received := startReceiver(t)
	endpoint := must(s.WebhookEndpoints.Create(ctx, karat.CreateWebhookEndpointRequest{URL: url, Description: "of a test", Types: createdUsers}))(t)
	defer func() { _ = s.WebhookEndpoints.Delete(ctx, endpoint.EndpointID) }()
	isListed := false
	for one := range s.WebhookEndpoints.List(ctx, karat.ListWebhookEndpointsParams{Limit: "1"}) {
		isListed = isListed || one.EndpointID == endpoint.EndpointID
	}
	if !isListed {
		t.Error("the endpoint is not listed")
	}
	s.createUser(t)
	<-received
	deliveries := must(karat.Take(s.WebhookEndpoints.Deliveries(ctx, endpoint.EndpointID, karat.ListWebhookDeliveriesParams{}), 1))(t)
	if len(deliveries) != 1 || deliveries[0].Type != karat.EventTypeUserCreated {
		t.Errorf("the deliveries are %+v", deliveries)
	}
	var all []karat.EventType
	changed := must(s.WebhookEndpoints.Update(ctx, endpoint.EndpointID, karat.ChangeWebhookEndpointRequest{Types: &all, Status: karat.EndpointStatusDisabled}))(t)
	if changed.Types != nil || changed.Status != karat.EndpointStatusDisabled || changed.Description != "of a test" {
		t.Errorf("the endpoint is %+v", changed)
	}
}

func TestSequenceOfManyStreamsIsTheSame(t *testing.T) {
	s := start(t, karat.Options{})
	after := s.position(t)
	for range 5 {
		s.createUser(t)
	}
	var group sync.WaitGroup
	waiting := limited(t)
	for range 3 {
		group.Go(func() {
			events, err := karat.Take(s.Events.Stream(waiting, karat.StreamOptions{After: after, Types: createdUsers}), 5)
			if err != nil || len(events) != 5 {
				t.Errorf("there were %d events: %v", len(events), err)
			}
			for at := 1; at < len(events); at++ {
				if events[at].Sequence <= events[at-1].Sequence {
					t.Errorf("%d came after %d", events[at].Sequence, events[at-1].Sequence)
				}
			}
		})
	}
	group.Wait()
}
