package karat_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	karat "github.com/karat-gold/karat/packages/sdk-go"
)

// The tests call a sandbox that runs: KARAT_SANDBOX_STATE is its state folder, which has sandbox.json.

type sandbox struct {
	folder   string
	URL      string `json:"partner_api_url"`
	Partners []struct {
		ID      string `json:"partner_id"`
		KeyFile string `json:"wallet_keypair"`
		APIKey  string `json:"api_key"`
	} `json:"partners"`
	Users []struct {
		ID      string `json:"service_user_id"`
		KeyFile string `json:"keypair"`
	} `json:"users"`
	SpareWallets []string `json:"spare_wallets"`
}

var readSandbox = sync.OnceValues(func() (*sandbox, error) {
	box := &sandbox{folder: os.Getenv("KARAT_SANDBOX_STATE")}
	if box.folder == "" {
		return nil, errors.New("KARAT_SANDBOX_STATE must be the state folder of a sandbox that runs")
	}
	text, err := os.ReadFile(filepath.Join(box.folder, "sandbox.json"))
	if err != nil {
		return nil, err
	}
	return box, json.Unmarshal(text, box)
})

func theSandbox(t *testing.T) *sandbox {
	t.Helper()
	return must(readSandbox())(t)
}

// must returns a value, and ends a test with the error that it has instead.
func must[Value any](value Value, err error) func(*testing.T) Value {
	return func(t *testing.T) Value {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func (s *sandbox) wallet(t *testing.T, file string) *karat.Wallet {
	t.Helper()
	return karat.NewWallet(must(karat.ReadKeyFile(filepath.Join(s.folder, file)))(t))
}

// setup is a client of the first partner, with the partner's wallet and a customer who has USDC and GOLD.
type setup struct {
	*karat.Client
	url      string
	partner  *karat.Wallet
	customer *karat.Wallet
	user     string
	signing  karat.Signing
}

// start returns a setup whose client has the given options; where they name no URL, that of the sandbox.
func start(t *testing.T, options karat.Options) *setup {
	t.Helper()
	box := theSandbox(t)
	if options.BaseURL == "" {
		options.BaseURL = box.URL
	}
	if options.APIKey == "" {
		options.APIKey = box.Partners[0].APIKey
	}
	s := &setup{Client: must(karat.New(options))(t), url: box.URL, user: box.Users[0].ID}
	s.partner, s.customer = box.wallet(t, box.Partners[0].KeyFile), box.wallet(t, box.Users[0].KeyFile)
	s.signing = karat.Signing{Signers: []karat.Signer{s.customer, s.partner}}
	return s
}

func newWallet(t *testing.T) *karat.Wallet {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	return karat.NewWallet(must(key, err)(t))
}

// newUser is the request for a customer with a wallet that nothing is in.
func newUser(t *testing.T) karat.CreateUserRequest {
	address := newWallet(t).Address()
	kyc := karat.Kyc{Country: "PK", FullName: "Sana Malik", KycProvider: "by hand", KycLevel: "full"}
	kyc.KycVerifiedAt = time.Now().Format(time.RFC3339)
	return karat.CreateUserRequest{UserID: address, WalletAddress: address, Kyc: kyc}
}

// requireError ends a test unless an error has the code.
func requireError(t *testing.T, err error, code karat.ErrorCode) *karat.Error {
	t.Helper()
	var failure *karat.Error
	if !errors.As(err, &failure) || failure.Code != code {
		t.Fatalf("the error is %v, and must be %s", err, code)
	}
	return failure
}

func dec(text string) karat.Decimal { return karat.MustDecimal(text) }

// proxy passes the bytes of connections on, until it cuts them.
type proxy struct {
	url    string
	target string

	mutex sync.Mutex
	// What requests began with, in the order of their connections.
	requests []string
	open     []net.Conn
	// cut returns after how many bytes of the response to a request its connection is cut; a negative number: never.
	cut func(request string) int
	// isStalled: what the API sends no longer arrives.
	isStalled bool
}

func startProxy(t *testing.T, cut func(request string) int) *proxy {
	t.Helper()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	p := &proxy{url: "http://" + listener.Addr().String(), target: strings.TrimPrefix(theSandbox(t).URL, "http://"), cut: cut}
	var connections sync.WaitGroup
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Go(func() { p.serve(connection) })
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		p.cutAll()
		connections.Wait()
	})
	return p
}

// oneEach has a connection of its own for each request.
func oneEach() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	first := make([]byte, 64<<10)
	count, err := client.Read(first)
	if err != nil {
		return
	}
	request := string(first[:count])
	p.mutex.Lock()
	p.requests = append(p.requests, request)
	p.open = append(p.open, client, server)
	limit := p.cut(request)
	p.mutex.Unlock()
	if _, err := server.Write(first[:count]); err != nil {
		return
	}
	isGone := make(chan struct{})
	go func() {
		_, _ = io.Copy(server, client)
		close(isGone)
	}()
	for part := make([]byte, 4<<10); ; {
		count, err := server.Read(part)
		if limit >= 0 && count > limit {
			_, _ = client.Write(part[:limit])
			return
		}
		if limit >= 0 {
			limit -= count
		}
		if p.stalled() {
			if err != nil {
				<-isGone
				return
			}
			continue
		}
		if err != nil {
			return
		}
		if _, err := client.Write(part[:count]); err != nil {
			return
		}
	}
}

func (p *proxy) stalled() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.isStalled
}

func (p *proxy) cutAll() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, connection := range p.open {
		connection.Close()
	}
	p.open = nil
}

var idempotencyKey = regexp.MustCompile(`(?i)\r\nidempotency-key: (.+)\r\n`)

// keys returns the idempotency keys of the requests to a route.
func (p *proxy) keys(route string) []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var keys []string
	for _, request := range p.requests {
		line, _, _ := strings.Cut(request, "\r\n")
		if key := idempotencyKey.FindStringSubmatch(request); key != nil && strings.Contains(line, route) {
			keys = append(keys, key[1])
		}
	}
	return keys
}

// count returns how many requests began with a text.
func (p *proxy) count(beginning string) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	count := 0
	for _, request := range p.requests {
		if strings.HasPrefix(request, beginning) {
			count++
		}
	}
	return count
}

// firstOf cuts the connection of the first request to a route in the middle of its response.
func firstOf(route string) func(string) int {
	isCut := false
	return func(request string) int {
		line, _, _ := strings.Cut(request, "\r\n")
		if isCut || !strings.Contains(line, route) {
			return -1
		}
		isCut = true
		return 40
	}
}

type ctxType = context.Context

var ctx ctxType = context.Background()
