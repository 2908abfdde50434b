package karat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Signing is who signs the transaction of a quote.
type Signing struct {
	// Signers are those whose signatures it needs, in any order: the customer's, and the partner's for a trade.
	Signers []Signer
	// WalletAddress is the customer's wallet by your own records. Default: what the API returned for the customer first.
	WalletAddress string
	// MaxTokens is the most GOLD that a redemption may take, with its fee. Default: what the quote requires.
	MaxTokens Decimal
	// Wait is how long Execute waits for the chain. Default: 120 s, by when a transaction has landed or expired.
	Wait time.Duration
}

const maxUsers = 10_000

// pins are what no later response may change: network and partner, as they were given or read first, and the wallets of
// customers.
type pins struct {
	client *Client

	mutex     sync.Mutex
	network   *SolanaNetwork
	partnerID string
	wallets   map[string]string
}

func newPins(client *Client, network *SolanaNetwork, partnerID string) *pins {
	p := &pins{client: client, partnerID: partnerID, wallets: map[string]string{}}
	if network != nil {
		p.network = copyOf(network)
	}
	return p
}

// copyOf keeps what the caller may change later.
func copyOf(network *SolanaNetwork) *SolanaNetwork {
	own := *network
	own.ServiceSigners = slices.Clone(network.ServiceSigners)
	return &own
}

func addressesOf(network *SolanaNetwork) string {
	signers := slices.Sorted(slices.Values(network.ServiceSigners))
	return strings.Join(append([]string{network.ProgramID, network.UsdcMint, network.GoldMint}, signers...), " ")
}

// readNetwork returns what the API says of the network, and pins it if nothing is.
func (p *pins) readNetwork(ctx context.Context) (*SolanaNetwork, error) {
	read, err := get[SolanaNetwork](ctx, p.client, "/v1/network", nil)
	if err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.network == nil {
		p.network = copyOf(read)
	}
	if is, must := addressesOf(read), addressesOf(p.network); is != must {
		message := fmt.Sprintf("The API names another network than the pinned one: %s, not %s.", is, must)
		return nil, &Error{Code: CodeNetworkChanged, Message: message}
	}
	return read, nil
}

// sign has a quote's transaction signed if check, which gets what is pinned, finds it to be the one of its request: nothing
// else is given to any signer.
func (p *pins) sign(ctx context.Context, quote signable, signing Signing) (string, error) {
	network, err := p.pinnedNetwork(ctx)
	if err != nil {
		return "", err
	}
	parties := Parties{UserWallet: signing.WalletAddress, MaxTokens: signing.MaxTokens}
	if parties.UserWallet == "" {
		if parties.UserWallet, err = p.walletOf(ctx, quote.user); err != nil {
			return "", err
		}
	}
	for _, signer := range signing.Signers {
		if address := signer.Address(); address != "" && address != parties.UserWallet {
			parties.PartnerWallets = append(parties.PartnerWallets, address)
		}
	}
	// A trade names the partner's wallet, a redemption only the partner.
	if quote.isRedemption {
		if parties.PartnerID, err = p.ownID(ctx); err != nil {
			return "", err
		}
	}
	if err := quote.check(network, parties); err != nil {
		return "", err
	}
	return signTransaction(ctx, quote.transaction, signing.Signers)
}

// signable is a quote with the check against its request.
type signable struct {
	user         string
	transaction  string
	isRedemption bool
	check        func(*SolanaNetwork, Parties) error
}

func (p *pins) pinnedNetwork(ctx context.Context) (*SolanaNetwork, error) {
	p.mutex.Lock()
	network := p.network
	p.mutex.Unlock()
	if network != nil {
		return network, nil
	}
	if _, err := p.readNetwork(ctx); err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.network, nil
}

func (p *pins) ownID(ctx context.Context) (string, error) {
	p.mutex.Lock()
	id := p.partnerID
	p.mutex.Unlock()
	if id != "" {
		return id, nil
	}
	me, err := p.client.Me(ctx)
	if err != nil {
		return "", err
	}
	if me.PartnerID == "" {
		return "", &Error{Code: CodeUnexpectedResponse, Message: "The API names no partner."}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.partnerID == "" {
		p.partnerID = me.PartnerID
	}
	return p.partnerID, nil
}

func (p *pins) walletOf(ctx context.Context, user string) (string, error) {
	p.mutex.Lock()
	wallet, isKnown := p.wallets[user]
	p.mutex.Unlock()
	if isKnown {
		return wallet, nil
	}
	read, err := p.client.Users.Get(ctx, user)
	if err != nil {
		return "", err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if known, isKnown := p.wallets[user]; isKnown {
		return known, nil
	}
	if len(p.wallets) >= maxUsers {
		clear(p.wallets)
	}
	p.wallets[user] = read.WalletAddress
	return read.WalletAddress, nil
}
