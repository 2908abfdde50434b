package karat_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	karat "github.com/karat-gold/karat/packages/sdk-go"
)

// startLiar starts a proxy that changes the bodies of responses.
func startLiar(t *testing.T, change func(path string, body map[string]any)) string {
	t.Helper()
	reverse := httputil.NewSingleHostReverseProxy(must(url.Parse(theSandbox(t).URL))(t))
	reverse.ModifyResponse = func(response *http.Response) error {
		var body map[string]any
		decoder := json.NewDecoder(response.Body)
		decoder.UseNumber()
		if err := decoder.Decode(&body); err != nil {
			return err
		}
		change(response.Request.URL.Path, body)
		text, err := json.Marshal(body)
		response.Body = io.NopCloser(bytes.NewReader(text))
		response.ContentLength = int64(len(text))
		response.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return err
	}
	server := httptest.NewServer(reverse)
	t.Cleanup(server.Close)
	return server.URL
}

// watched returns signers that count their calls.
func watched(s *setup) (signers []karat.Signer, calls *int) {
	calls = new(int)
	for _, wallet := range []*karat.Wallet{s.customer, s.partner} {
		signers = append(signers, karat.NewRemoteWallet(wallet.Address(), func(c ctxType, message []byte) ([]byte, error) {
			*calls++
			return wallet.SignMessage(c, message)
		}), karat.SignerFunc(func(c ctxType, transaction []byte) ([]byte, error) {
			*calls++
			return wallet.SignTransaction(c, transaction)
		}))
	}
	return signers, calls
}

func TestChangedTransactionIsRefusedBeforeAnySignerIsCalled(t *testing.T) {
	changes := map[string]func(transaction []byte) []byte{
		"another amount": func(transaction []byte) []byte {
			at := len(transaction) - 50
			transaction[at]++
			return transaction
		},
		"a byte more": func(transaction []byte) []byte { return append(transaction, 0) },
		"nothing":     func([]byte) []byte { return nil },
		"another fee payer": func(transaction []byte) []byte {
			transaction[1+64*int(transaction[0])+4]++
			return transaction
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			lie := startLiar(t, func(path string, body map[string]any) {
				if text, ok := body["partially_signed_transaction"].(string); ok {
					body["partially_signed_transaction"] = base64.StdEncoding.EncodeToString(change(decoded(t, text)))
				}
			})
			s := start(t, karat.Options{BaseURL: lie})
			signers, calls := watched(s)
			_, err := s.Buys.Execute(ctx, karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("30")}, karat.Signing{Signers: signers})
			failure := requireError(t, err, karat.CodeTransactionUnexpected)
			if *calls != 0 || failure.Field == "" {
				t.Errorf("%d signers were called before %v", *calls, failure)
			}
		})
	}
}

func TestQuoteOfAnotherRequestIsRefusedBeforeAnySignerIsCalled(t *testing.T) {
	s := start(t, karat.Options{})
	other := must(s.Buys.Quote(ctx, karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("31")}))(t)
	signers, calls := watched(s)
	_, err := s.Buys.Sign(ctx, other, karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("30.999999")}, karat.Signing{Signers: signers})
	failure := requireError(t, err, karat.CodeTransactionUnexpected)
	if failure.Field != string(karat.DifferenceAmount) || *calls != 0 {
		t.Errorf("%d signers were called before %v", *calls, failure)
	}
}

func TestWalletOfAnotherCustomerIsRefused(t *testing.T) {
	s := start(t, karat.Options{})
	signing := karat.Signing{Signers: s.signing.Signers, WalletAddress: newWallet(t).Address()}
	_, err := s.Buys.Execute(ctx, karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("30")}, signing)
	if failure := requireError(t, err, karat.CodeTransactionUnexpected); failure.Field != string(karat.DifferenceUser) {
		t.Errorf("the error is %v", failure)
	}
}

func TestAnotherNetworkThanThePinnedOneIsRefused(t *testing.T) {
	isLying := false
	lie := startLiar(t, func(path string, body map[string]any) {
		if isLying && path == "/v1/network" {
			body["program_id"] = "11111111111111111111111111111111"
		}
	})
	s := start(t, karat.Options{BaseURL: lie})
	network := must(s.Network(ctx))(t)
	isLying = true
	requireError(t, second(s.Network(ctx)), karat.CodeNetworkChanged)

	// One who believes the lie first signs nothing either: the transaction is of another program.
	believes := start(t, karat.Options{BaseURL: lie})
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("30")}
	failure := requireError(t, second(believes.Buys.Execute(ctx, request, s.signing)), karat.CodeTransactionUnexpected)
	if failure.Field != string(karat.DifferenceProgram) {
		t.Errorf("the error is %v", failure)
	}
	pinned := start(t, karat.Options{BaseURL: lie, Network: network})
	must(pinned.Buys.Execute(ctx, request, s.signing))(t)
}

func TestRedemptionOfAnotherPartnerIsRefused(t *testing.T) {
	s := start(t, karat.Options{PartnerID: theSandbox(t).Partners[1].ID})
	request := karat.QuoteRedemptionRequest{ServiceUserID: s.user, DenominationID: "pk_tola_1", City: "Karachi"}
	_, err := s.Redemptions.Execute(ctx, request, karat.Signing{Signers: []karat.Signer{s.customer}})
	if failure := requireError(t, err, karat.CodeTransactionUnexpected); failure.Field != string(karat.DifferencePartner) {
		t.Errorf("the error is %v", failure)
	}
}

func TestOperationThatDidNotSucceedIsTheErrorWithItsReason(t *testing.T) {
	for _, one := range []struct {
		status, kind, reason string
		code                 karat.ErrorCode
		is                   karat.Reason
	}{
		{"failed", "buy", "slippage_exceeded", karat.CodeTradeFailed, karat.ReasonSlippageExceeded},
		{"failed", "redemption", "insufficient_gold", karat.CodeRedemptionFailed, karat.ReasonInsufficientGold},
		{"expired", "buy", "", karat.CodeExpired, karat.ReasonQuoteExpired},
		{"confirmed", "buy", "", karat.CodeTimeout, ""},
	} {
		lie := startLiar(t, func(path string, body map[string]any) {
			if strings.HasPrefix(path, "/v1/operations/") {
				body["status"], body["kind"], body["reason"], body["record"] = one.status, one.kind, one.reason, nil
			}
		})
		s := start(t, karat.Options{BaseURL: lie})
		_, err := s.Buys.Execute(ctx, karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("10")}, s.signing)
		failure := requireError(t, err, one.code)
		if failure.Reason != one.is || failure.OperationID == "" || failure.Operation == nil || string(failure.Operation.Status) != one.status {
			t.Errorf("the error is %+v", failure)
		}
	}
}

func TestTransactionThatNoNodeTakesForNowIsSentAgain(t *testing.T) {
	target := must(url.Parse(theSandbox(t).URL))(t)
	reverse, submits := httputil.NewSingleHostReverseProxy(target), 0
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/submit") {
			if submits++; submits == 1 {
				writer.WriteHeader(http.StatusServiceUnavailable)
				_, _ = io.WriteString(writer, `{"error":"service_unavailable","reason":"node_unavailable","message":"no node"}`)
				return
			}
		}
		reverse.ServeHTTP(writer, request)
	}))
	defer server.Close()
	s := start(t, karat.Options{BaseURL: server.URL, MaxRetries: -1})
	trade := must(s.Buys.Execute(ctx, karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("11")}, s.signing))(t)
	if submits != 2 || trade.Status != karat.TradeStatusConfirmed {
		t.Errorf("%d submits made %+v", submits, trade)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	var keys []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		keys = append(keys, request.Header.Get("X-Api-Key"))
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	s := start(t, karat.Options{BaseURL: server.URL})
	failure := requireError(t, second(s.Me(ctx)), karat.CodeUnexpectedResponse)
	if failure.Status != http.StatusTemporaryRedirect || len(keys) > 0 {
		t.Errorf("the keys %v arrived elsewhere, and the error is %v", keys, failure)
	}
}

func TestIDStaysOnePartOfThePath(t *testing.T) {
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		paths = append(paths, request.RequestURI)
		writer.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	s := must(karat.New(karat.Options{BaseURL: server.URL, APIKey: "a key"}))(t)
	for _, id := range []string{"../me", "a/b?c=d", "", ".", ".."} {
		_, _ = s.Trades.Get(ctx, id)
	}
	if is := strings.Join(paths, " "); is != "/v1/trades/..%2Fme /v1/trades/a%2Fb%3Fc=d /v1/trades/- /v1/trades/- /v1/trades/-" {
		t.Errorf("the paths are %s", is)
	}
}

func TestPageOfAProxyIsAnUnexpectedResponse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(writer, "<html>Sign in</html>")
	}))
	defer server.Close()
	s := start(t, karat.Options{BaseURL: server.URL})
	failure := requireError(t, second(s.Me(ctx)), karat.CodeUnexpectedResponse)
	if !strings.Contains(string(failure.Body), "Sign in") {
		t.Errorf("the error is %+v", failure)
	}
}
