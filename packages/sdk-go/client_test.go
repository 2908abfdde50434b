package karat_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	karat "github.com/karat-gold/karat/packages/sdk-go"
)

func TestAddressWithoutHTTPSIsRefusedUnlessItIsThisMachine(t *testing.T) {
	for _, url := range []string{"http://api.example.com", "http://127.0.0.1.example.com", "http://localhost@example.com", "ftp://localhost", "localhost:8080", "", "https://", "http://127.1.2.3.4"} {
		_, err := karat.New(karat.Options{BaseURL: url})
		requireError(t, err, karat.CodeURLInsecure)
	}
	for _, url := range []string{"https://api.example.com/", "http://localhost:8080", "http://shop.localhost", "http://127.0.0.1:1//", "http://[::1]:8080"} {
		must(karat.New(karat.Options{BaseURL: url}))(t)
	}
}

func TestMintedKeyWorksUntilItIsRevoked(t *testing.T) {
	s, box := start(t, karat.Options{}), theSandbox(t)
	minted := must(karat.MintAPIKey(ctx, karat.Options{BaseURL: box.URL}, box.Partners[0].ID, "of a test", s.partner))(t)
	own := start(t, karat.Options{APIKey: minted.APIKey})
	if me := must(own.Me(ctx))(t); me.PartnerID != box.Partners[0].ID || me.Key.KeyID != minted.KeyID || me.FeePercentage != dec("0.015") {
		t.Errorf("the partner is %+v", me)
	}
	var revoked karat.RevokeAPIKeyResult
	if err := s.Do(ctx, http.MethodPost, "/v1/partner/api-keys/"+minted.KeyID+"/revoke", nil, &revoked); err != nil {
		t.Fatal(err)
	}
	failure := requireError(t, second(own.Me(ctx)), karat.ErrorCodeUnauthorized)
	if failure.Status != 401 || failure.RequestID == "" || failure.MayHaveArrived {
		t.Errorf("the error is %+v", failure)
	}
	_, err := karat.MintAPIKey(ctx, karat.Options{BaseURL: box.URL}, box.Partners[0].ID, "of a test", newWallet(t))
	if !errors.As(err, &failure) || failure.Status < 400 || failure.Status > 499 {
		t.Errorf("the error is %v", err)
	}
}

func TestWriteWhoseResponseIsCutIsRepeatedWithItsKey(t *testing.T) {
	p := startProxy(t, firstOf("/v1/users"))
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	request := newUser(t)
	user := must(s.Users.Create(ctx, request))(t)
	if keys := p.keys("/v1/users"); len(keys) != 2 || keys[0] != keys[1] || len(keys[0]) != 36 {
		t.Errorf("the tries had the keys %v", keys)
	}
	if listed := must(karat.Collect(s.Users.List(ctx, karat.ListUsersParams{UserID: request.UserID})))(t); len(listed) != 1 || listed[0].ServiceUserID != user.ServiceUserID {
		t.Errorf("the users are %+v", listed)
	}
}

func TestOwnIdempotencyKeyMakesARepeatTheSame(t *testing.T) {
	s := start(t, karat.Options{})
	request, key := newUser(t), karat.WithIdempotencyKey("create-"+newWallet(t).Address())
	first := must(s.Users.Create(ctx, request, key))(t)
	if again := must(s.Users.Create(ctx, request, key))(t); *again != *first {
		t.Errorf("the repeat made %+v of %+v", again, first)
	}
	failure := requireError(t, second(s.Users.Create(ctx, request)), karat.ErrorCodeUserAlreadyExists)
	var body karat.ErrorBody
	if err := json.Unmarshal(failure.Body, &body); err != nil || body.ServiceUserID != first.ServiceUserID {
		t.Errorf("the error is %v with %s", failure, failure.Body)
	}
}

func TestRefusalAfterALostResponseSaysSo(t *testing.T) {
	request := newUser(t)
	first := must(start(t, karat.Options{}).Users.Create(ctx, request))(t)
	p := startProxy(t, firstOf("/v1/users"))
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	failure := requireError(t, second(s.Users.Create(ctx, request)), karat.ErrorCodeUserAlreadyExists)
	if !failure.MayHaveArrived || !strings.Contains(string(failure.Body), first.ServiceUserID) {
		t.Errorf("the error is %+v", failure)
	}
}

func TestConnectionThatIsAlwaysCutIsANetworkErrorAfterTheLastTry(t *testing.T) {
	p := startProxy(t, func(string) int { return 10 })
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach(), MaxRetries: 2})
	failure := requireError(t, second(s.Users.Create(ctx, newUser(t))), karat.CodeNetworkError)
	if keys := p.keys("/v1/users"); len(keys) != 3 || failure.Unwrap() == nil {
		t.Errorf("%d tries: %v", len(keys), failure)
	}
}

func TestTryThatTakesTooLongIsGivenUp(t *testing.T) {
	p := startProxy(t, func(string) int { return -1 })
	p.isStalled = true
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach(), MaxRetries: -1, Timeout: 200 * time.Millisecond})
	requireError(t, second(s.Me(ctx)), karat.CodeNetworkError)
}

func TestCallEndsWithItsContext(t *testing.T) {
	p := startProxy(t, func(string) int { return -1 })
	p.isStalled = true
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	limited, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := s.Me(limited); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}

func TestPassingRefusalIsRepeatedAfterAsLongAsItSays(t *testing.T) {
	var at []time.Time
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		if at = append(at, time.Now()); len(at) == 1 {
			writer.Header().Set("Retry-After", "1")
			writer.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = writer.Write([]byte(`{"wallet_address":"a","gold":1e-6,"usdc":12345678901234567.654321,"sol":0}`))
	}))
	defer server.Close()
	s := start(t, karat.Options{BaseURL: server.URL})
	balances := must(s.Users.Balances(ctx, "gu_1"))(t)
	if len(at) != 2 || at[1].Sub(at[0]) < time.Second {
		t.Errorf("the tries were at %v", at)
	}
	if balances.Gold != dec("0.000001") || balances.Usdc != dec("12345678901234567.654321") || balances.Sol != dec("0") {
		t.Errorf("the balances are %+v", balances)
	}
}

func TestListIsReadPageByPageAndNoFurther(t *testing.T) {
	p := startProxy(t, func(string) int { return -1 })
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	created := map[string]bool{}
	for range 5 {
		created[must(s.Users.Create(ctx, newUser(t)))(t).ServiceUserID] = true
	}
	listed := func() int { return p.count("GET /v1/users?") }
	rows := must(karat.Take(s.Users.List(ctx, karat.ListUsersParams{Limit: "2"}), 4))(t)
	if len(rows) != 4 || listed() != 2 {
		t.Errorf("%d rows came in %d pages", len(rows), listed())
	}
	for user, err := range s.Users.List(ctx, karat.ListUsersParams{Limit: "2"}) {
		if err != nil {
			t.Fatal(err)
		}
		if delete(created, user.ServiceUserID); len(created) == 0 {
			break
		}
	}
	if len(created) != 0 || listed() > 5 {
		t.Errorf("of five, %d were not in %d pages", len(created), listed()-2)
	}
	_, err := karat.Collect(s.Users.List(ctx, karat.ListUsersParams{Limit: "0"}))
	if failure := requireError(t, err, karat.ErrorCodeInvalidRequest); failure.Field != "limit" {
		t.Errorf("the error is %+v", failure)
	}
}

func TestPricesCountriesAndReservesAreRead(t *testing.T) {
	s := start(t, karat.Options{})
	if price := must(s.Prices.Get(ctx))(t); price.PricePerTroyOz.Cmp(dec("100")) < 0 || price.FeeBps == nil {
		t.Errorf("the price is %+v", price)
	}
	if candles := must(s.Prices.History(ctx, karat.ListPriceHistoryParams{Interval: karat.PriceIntervalMinute}))(t); len(candles) == 0 {
		t.Error("there are no candles")
	}
	if countries := must(s.Countries.List(ctx))(t); len(countries) < 200 {
		t.Errorf("there are %d countries", len(countries))
	}
	if backing := must(s.Reserves.Live(ctx))(t); !backing.Covered || backing.Supply.Cmp(backing.Attested) > 0 {
		t.Errorf("the backing is %+v", backing)
	}
	statements := must(s.Reserves.Statements(ctx))(t)
	if len(statements) == 0 {
		_, err := s.Reserves.Latest(ctx)
		requireError(t, err, karat.ErrorCodeStatementNotFound)
		return
	}
	id := statements[0].Statement.StatementID
	must(s.Reserves.Latest(ctx))(t)
	must(s.Reserves.Statement(ctx, id))(t)
	bar := must(s.Reserves.Bars(ctx, id))(t)[0]
	must(s.Reserves.Proof(ctx, id, karat.ProveReserveBarParams{Refiner: bar.Refiner, Serial: bar.Serial}))(t)
}

func TestOneClientServesManyAtOnce(t *testing.T) {
	s := start(t, karat.Options{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("10")}
			quote, err := s.Buys.Quote(ctx, request)
			if err == nil {
				_, err = s.Buys.Sign(ctx, quote, request, s.signing)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestDecimalIsExact(t *testing.T) {
	for text, canonical := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "007": "7", "1.50": "1.5", "-12.340": "-12.34", "1e3": "1000", "1.5e-7": "0.00000015",
		"98765.432109": "98765.432109", "123456789012345678901234567890.123456": "123456789012345678901234567890.123456", "-1E+2": "-100", "0e5": "0",
	} {
		number := must(karat.ParseDecimal(text))(t)
		encoded := must(json.Marshal(number))(t)
		var again karat.Decimal
		if err := json.Unmarshal([]byte(text), &again); text != "007" && (err != nil || again != number) {
			t.Errorf("%s is read as %q: %v", text, again, err)
		}
		if number.String() != canonical || string(encoded) != canonical {
			t.Errorf("%s is %q, and %s in JSON", text, number, encoded)
		}
	}
	for _, text := range []string{"", ".5", "1.", "+1", "1e", "1e1234", "NaN", "Infinity", "0x10", "1_000", " 1", "١"} {
		if number, err := karat.ParseDecimal(text); err == nil {
			t.Errorf("%q is %s", text, number)
		}
	}
	if units, isExact := dec("1.0000005").Units(6); isExact || units.Cmp(big.NewInt(1_000_000)) != 0 {
		t.Errorf("1.0000005 has %s units", units)
	}
	if units, isExact := (karat.Decimal{}).Units(6); isExact || units.Sign() != 0 {
		t.Errorf("no number has %s units", units)
	}
	if sum := dec("0.1").Add(dec("0.2")); sum != dec("0.3") {
		t.Errorf("the sum is %s", sum)
	}
	if rest := dec("1").Sub(dec("1.000001")); rest != dec("-0.000001") || rest.Cmp(karat.Decimal{}) != -1 {
		t.Errorf("the difference is %s", rest)
	}
	if number := karat.DecimalFromUnits(big.NewInt(-1_500_000), 6); number != dec("-1.5") {
		t.Errorf("the number is %s", number)
	}
}

func TestRequestHasOnlyWhatIsSet(t *testing.T) {
	none := int64(0)
	for _, one := range []struct {
		request karat.QuoteBuyRequest
		text    string
	}{
		{karat.QuoteBuyRequest{ServiceUserID: "gu_1"}, `{"service_user_id":"gu_1"}`},
		{karat.QuoteBuyRequest{ServiceUserID: "gu_1", UsdcAmount: dec("0"), SlippageBps: &none}, `{"service_user_id":"gu_1","slippage_bps":0,"usdc_amount":0}`},
		{karat.QuoteBuyRequest{GoldAmount: dec("0.100001")}, `{"gold_amount":0.100001,"service_user_id":""}`},
	} {
		if text := must(json.Marshal(one.request))(t); string(text) != one.text {
			t.Errorf("the request is %s, and must be %s", text, one.text)
		}
	}
}
