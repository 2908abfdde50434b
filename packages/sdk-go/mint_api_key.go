package karat

import (
	"context"
	"encoding/base64"
)

const mintPath = "/v1/auth/api-key"

// MintAPIKey mints an API key: it has a challenge signed by one of the partner's registered wallets. The key itself is shown
// only here. Of the options, APIKey does not count.
func MintAPIKey(ctx context.Context, options Options, partnerID, keyName string, wallet *Wallet) (*MintedAPIKey, error) {
	options.APIKey = ""
	client, err := New(options)
	if err != nil {
		return nil, err
	}
	request := CreateChallengeRequest{WalletAddress: wallet.Address(), PartnerID: partnerID}
	challenge, err := post[Challenge](ctx, client, "/v1/auth/challenge", request, nil)
	if err != nil {
		return nil, err
	}
	signature, err := wallet.SignMessage(ctx, []byte(challenge.Message))
	if err != nil {
		return nil, err
	}
	signed := CreateAPIKeyRequest{ChallengeID: challenge.ChallengeID, Signature: base64.StdEncoding.EncodeToString(signature), KeyName: keyName}
	return post[MintedAPIKey](ctx, client, mintPath, signed, nil)
}
