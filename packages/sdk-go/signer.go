package karat

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Signer signs transactions, which were compared with their requests before: a *Wallet, a SignerFunc, or one of your own.
type Signer interface {
	// Address returns the wallet that it signs for, in base58; empty where only the signer knows.
	Address() string
	// SignTransaction returns a transaction (as bytes, not base64) with its signature. One that it has changed is refused.
	SignTransaction(ctx context.Context, transaction []byte) ([]byte, error)
}

// SignerFunc has the bytes of a transaction signed elsewhere, such as in a customer's browser.
type SignerFunc func(ctx context.Context, transaction []byte) ([]byte, error)

// Address returns nothing: only the function knows.
func (SignerFunc) Address() string { return "" }

// SignTransaction calls the function.
func (f SignerFunc) SignTransaction(ctx context.Context, transaction []byte) ([]byte, error) {
	return f(ctx, transaction)
}

// Wallet signs with one Ed25519 key.
type Wallet struct {
	address string
	sign    func(ctx context.Context, message []byte) ([]byte, error)
}

// NewWallet returns the wallet of a key.
func NewWallet(key ed25519.PrivateKey) *Wallet {
	address := toBase58(key.Public().(ed25519.PublicKey))
	return &Wallet{address, func(_ context.Context, message []byte) ([]byte, error) {
		return ed25519.Sign(key, message), nil
	}}
}

// NewRemoteWallet returns the wallet of a key that is elsewhere, such as in a key management service: sign returns the 64
// bytes of its signature of a message.
func NewRemoteWallet(address string, sign func(ctx context.Context, message []byte) ([]byte, error)) *Wallet {
	return &Wallet{address, sign}
}

// ReadKeyFile reads a key file of the Solana CLI: the 64 bytes of a key as a list of numbers.
func ReadKeyFile(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var numbers []uint8
	var list []uint16
	if err := json.Unmarshal(text, &list); err != nil || len(list) != ed25519.PrivateKeySize {
		return nil, fmt.Errorf("karat: %s has no key of 64 bytes", path)
	}
	for _, number := range list {
		numbers = append(numbers, uint8(number))
	}
	key := ed25519.NewKeyFromSeed(numbers[:ed25519.SeedSize])
	if slices.Max(list) > 255 || !bytes.Equal(key, numbers) {
		return nil, fmt.Errorf("karat: %s has the public key of another key", path)
	}
	return key, nil
}

// Address returns the address of the wallet, in base58.
func (w *Wallet) Address() string { return w.address }

// SignMessage returns the 64 bytes of the wallet's signature of a message.
func (w *Wallet) SignMessage(ctx context.Context, message []byte) ([]byte, error) {
	return w.sign(ctx, bytes.Clone(message))
}

// SignTransaction returns a transaction with the wallet's signature. It compares the transaction with nothing: Sign and
// Execute of Client.Buys, Client.Sells and Client.Redemptions do, before they call it.
func (w *Wallet) SignTransaction(ctx context.Context, transaction []byte) ([]byte, error) {
	wire, err := readTransaction(transaction)
	if err != nil {
		return nil, err
	}
	place := slices.Index(wire.signers, w.address)
	if place < 0 {
		return nil, unfit("This transaction needs no signature of "+w.address+".", nil)
	}
	signature, err := w.SignMessage(ctx, transaction[wire.messageAt:])
	if err != nil {
		return nil, err
	}
	if !ed25519.Verify(wire.keys[place], transaction[wire.messageAt:], signature) {
		return nil, unfit("The wallet returned no valid signature of "+w.address+".", nil)
	}
	signed := bytes.Clone(transaction)
	copy(signed[wire.signaturesAt+place*ed25519.SignatureSize:], signature)
	return signed, nil
}

// signTransaction returns a transaction (base64) with the signatures of all signers. Those that could change it go first, one
// after the other, so that no key signs after a change.
func signTransaction(ctx context.Context, transaction string, signers []Signer) (string, error) {
	signed, err := base64.StdEncoding.DecodeString(transaction)
	if err != nil {
		return "", err
	}
	wire, err := readTransaction(signed)
	if err != nil {
		return "", err
	}
	var keys []*Wallet
	for _, signer := range signers {
		if wallet, ok := signer.(*Wallet); ok {
			keys = append(keys, wallet)
			continue
		}
		returned, err := signer.SignTransaction(ctx, bytes.Clone(signed))
		if err != nil {
			return "", err
		}
		if len(returned) != len(signed) || !bytes.Equal(returned[:wire.signaturesAt], signed[:wire.signaturesAt]) ||
			!bytes.Equal(returned[wire.messageAt:], signed[wire.messageAt:]) {
			return "", &Error{Code: CodeTransactionChanged, Message: "A signer returned another transaction than the one to sign."}
		}
		signed = bytes.Clone(returned)
	}
	for _, wallet := range keys {
		if !slices.Contains(wire.signers, wallet.address) {
			return "", unfit("This transaction needs no signature of "+wallet.address+".", nil)
		}
	}
	for _, wallet := range keys {
		if signed, err = wallet.SignTransaction(ctx, signed); err != nil {
			return "", err
		}
	}
	return base64.StdEncoding.EncodeToString(signed), nil
}

func unfit(message string, cause error) *Error {
	return &Error{Code: CodeSignerUnknown, Message: message, cause: cause}
}

// wireTransaction is where the parts of a transaction lie.
type wireTransaction struct {
	signaturesAt int
	messageAt    int
	keys         []ed25519.PublicKey
	signers      []string
}

// readTransaction reads whose signatures a legacy transaction needs.
func readTransaction(transaction []byte) (*wireTransaction, error) {
	message, err := readMessage(transaction)
	if err != nil {
		return nil, unfit("This is no transaction that can be signed.", errors.New(err.text))
	}
	return &wireTransaction{1, message.messageAt, message.keys[:message.required], message.signers()}, nil
}
