package karat

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// vector is a transaction that is published for the check before signing in any language.
type vector struct {
	Name     string
	Kind     string
	Request  json.RawMessage
	Response json.RawMessage
	Network  SolanaNetwork
	Wallets  struct {
		UserWallet     string   `json:"user_wallet"`
		PartnerWallets []string `json:"partner_wallets"`
		PartnerID      string   `json:"partner_id"`
	}
	Transaction string
	Verdict     string
	Difference  Difference
}

func readVectors(t *testing.T, kind string) []vector {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs/vectors", kind+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

func read[Value any](t *testing.T, text []byte) *Value {
	t.Helper()
	value := new(Value)
	if err := decode(text, value); err != nil {
		t.Fatal(err)
	}
	return value
}

// checker returns the check of a vector, for any transaction.
func (v vector) checker(t *testing.T) func(transaction string) error {
	t.Helper()
	parties := Parties{UserWallet: v.Wallets.UserWallet, PartnerWallets: v.Wallets.PartnerWallets, PartnerID: v.Wallets.PartnerID}
	switch v.Kind {
	case "buy":
		request, quote := *read[QuoteBuyRequest](t, v.Request), read[QuoteBuyResult](t, v.Response)
		return func(transaction string) error {
			quote.PartiallySignedTransaction = transaction
			return CheckBuy(request, quote, &v.Network, parties)
		}
	case "sell":
		request, quote := *read[QuoteSellRequest](t, v.Request), read[QuoteSellResult](t, v.Response)
		return func(transaction string) error {
			quote.PartiallySignedTransaction = transaction
			return CheckSell(request, quote, &v.Network, parties)
		}
	default:
		limited := read[struct {
			MaxTokens Decimal `json:"max_tokens"`
		}](t, v.Request)
		parties.MaxTokens = limited.MaxTokens
		quote := read[QuoteRedemptionResult](t, v.Response)
		return func(transaction string) error {
			quote.PartiallySignedTransaction = transaction
			return CheckRedemption(quote, &v.Network, parties)
		}
	}
}

func differenceOf(t *testing.T, err error) Difference {
	t.Helper()
	if err == nil {
		return ""
	}
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != CodeTransactionUnexpected || !strings.Contains(failure.Message, "Nothing was signed") {
		t.Fatalf("the check failed with %v", err)
	}
	return Difference(failure.Field)
}

func TestCheckReportsTheDifferenceOfEachVector(t *testing.T) {
	count := 0
	for _, kind := range []string{"buy", "sell", "redemption"} {
		for _, one := range readVectors(t, kind) {
			count++
			t.Run(kind+"/"+one.Name, func(t *testing.T) {
				if (one.Verdict == "bad") != (one.Difference != "") {
					t.Fatalf("the vector is %s, with the difference %q", one.Verdict, one.Difference)
				}
				err := one.checker(t)(one.Transaction)
				if is := differenceOf(t, err); is != one.Difference {
					t.Errorf("the difference is %q, and must be %q: %v", is, one.Difference, err)
				}
			})
		}
	}
	if count < 124 {
		t.Errorf("there are only %d vectors", count)
	}
}

func TestAddressesAreWrittenInBase58(t *testing.T) {
	for text, bytes := range map[string][]byte{"": {}, "1": {0}, "11": {0, 0}, "z": {57}, "21": {58}, "1112": {0, 0, 0, 1}, "JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG": slices.Repeat([]byte{255}, 32)} {
		if is := toBase58(bytes); is != text {
			t.Errorf("%v is %q, not %q", bytes, is, text)
		}
	}
}

func TestCheckRefusesAGoodTransactionWithAnyBitOfItsMessageChanged(t *testing.T) {
	for _, kind := range []string{"buy", "sell", "redemption"} {
		// Two of each have all that differs in layout, and the tests of the TypeScript SDK have all.
		left := 2
		for _, one := range readVectors(t, kind) {
			// Which wallet is the partner's is not known of the others.
			if left == 0 || one.Verdict != "good" || (kind != "redemption" && len(one.Wallets.PartnerWallets) != 1) {
				continue
			}
			left--
			bytes, err := base64.StdEncoding.DecodeString(one.Transaction)
			if err != nil {
				t.Fatal(err)
			}
			free, check := freePlaces(t, bytes, kind), one.checker(t)
			for at := 1 + 64*int(bytes[0]); at < len(bytes); at++ {
				changed := slices.Clone(bytes)
				changed[at] ^= 1
				if check(base64.StdEncoding.EncodeToString(changed)) == nil && !free[at] {
					t.Errorf("%s, %s: byte %d may be any", kind, one.Name, at)
				}
			}
		}
	}
}

func TestCheckRefusesAGoodTransactionWhoseInstructionsHaveMore(t *testing.T) {
	for _, kind := range []string{"buy", "sell", "redemption"} {
		one := readVectors(t, kind)[0]
		bytes, err := base64.StdEncoding.DecodeString(one.Transaction)
		if err != nil || one.Verdict != "good" {
			t.Fatal(one.Verdict, err)
		}
		check := one.checker(t)
		places := placesOf(t, bytes)
		last := len(places) - 1
		refuses := func(name string, countAt, insertAt int, must Difference) {
			changed := slices.Insert(slices.Clone(bytes), insertAt, 0)
			changed[countAt]++
			if is := differenceOf(t, check(base64.StdEncoding.EncodeToString(changed))); is != must {
				t.Errorf("%s, %s: the difference is %q, and must be %q", kind, name, is, must)
			}
		}
		for place, must := range map[int][2]Difference{
			0:    {DifferenceComputeBudget, DifferenceComputeBudget},
			1:    {DifferenceComputeBudget, DifferenceComputeBudget},
			2:    {DifferenceMemo, DifferenceMemo},
			last: {DifferenceAccounts, DifferenceInstructions},
		} {
			refuses("an account more", places[place].accountsAt-1, places[place].accountsAt, must[0])
			refuses("a byte more", places[place].dataAt-1, places[place].dataAt+places[place].length, must[1])
		}
	}
}

func TestCheckRefusesAGoodTransactionWithASignerMore(t *testing.T) {
	for _, kind := range []string{"buy", "sell", "redemption"} {
		one := readVectors(t, kind)[0]
		bytes, err := base64.StdEncoding.DecodeString(one.Transaction)
		if err != nil {
			t.Fatal(err)
		}
		changed := slices.Insert(bytes, 1+64*int(bytes[0]), make([]byte, 64)...)
		changed[0]++
		changed[1+64*int(changed[0])]++
		if is := differenceOf(t, one.checker(t)(base64.StdEncoding.EncodeToString(changed))); is != DifferenceSigners {
			t.Errorf("%s: the difference is %q", kind, is)
		}
	}
}

func TestCheckRefusesAGoodTransactionThatAnotherWalletSigns(t *testing.T) {
	for _, kind := range []string{"buy", "sell", "redemption"} {
		one := readVectors(t, kind)[0]
		bytes, err := base64.StdEncoding.DecodeString(one.Transaction)
		if err != nil {
			t.Fatal(err)
		}
		// The account behind the signers changes places with the last of them, and the call names both as before.
		behind := int(bytes[0])
		keysAt := 1 + 64*behind + 4
		last, next := keysAt+32*(behind-1), keysAt+32*behind
		changed := slices.Concat(bytes[:last], bytes[next:next+32], bytes[last:next], bytes[next+32:])
		for _, place := range placesOf(t, bytes) {
			for at := place.accountsAt; at < place.dataAt-1; at++ {
				switch int(changed[at]) {
				case behind:
					changed[at]--
				case behind - 1:
					changed[at]++
				}
			}
		}
		// The last one is the partner or the customer.
		is := differenceOf(t, one.checker(t)(base64.StdEncoding.EncodeToString(changed)))
		if is != DifferenceSigners && is != DifferencePartner {
			t.Errorf("%s: the difference is %q", kind, is)
		}
	}
}

func TestCheckRefusesAQuoteThatNamesAnotherLeastAmount(t *testing.T) {
	one := readVectors(t, "buy")[0]
	quote := read[QuoteBuyResult](t, one.Response)
	quote.PartiallySignedTransaction = one.Transaction
	quote.Quote.MinGoldOut = quote.Quote.MinGoldOut.Add(MustDecimal("0.000001"))
	err := CheckBuy(*read[QuoteBuyRequest](t, one.Request), quote, &one.Network, Parties{UserWallet: one.Wallets.UserWallet})
	if is := differenceOf(t, err); is != DifferenceMinimum {
		t.Errorf("the difference is %q", is)
	}
}

// place is where the parts of an instruction lie.
type place struct{ accountsAt, dataAt, length int }

// placesOf returns those of a good transaction, where no count is beyond a byte.
func placesOf(t *testing.T, bytes []byte) []place {
	t.Helper()
	m, refused := readMessage(bytes)
	if refused != nil {
		t.Fatal(refused.text)
	}
	var places []place
	at := m.messageAt + 4 + 32*len(m.keys) + 33
	for _, one := range m.instructions {
		dataAt := at + 2 + len(one.accounts) + 1
		places = append(places, place{at + 2, dataAt, len(one.data)})
		at = dataAt + len(one.data)
	}
	return places
}

// freePlaces returns the places in a transaction that the check leaves to the program and to the chain: the blockhash, what the
// service pays, which accounts are read only, the accounts that the program itself knows or that only their owner can spend,
// until when a trade is taken and, within bounds, how much it may give.
func freePlaces(t *testing.T, bytes []byte, kind string) map[int]bool {
	t.Helper()
	m, refused := readMessage(bytes)
	if refused != nil {
		t.Fatal(refused.text)
	}
	free := map[int]bool{}
	add := func(from, length int) {
		for at := from; at < from+length; at++ {
			free[at] = true
		}
	}
	add(m.messageAt+1, 2)
	accountsAt := m.messageAt + 4
	blockhashAt := accountsAt + 32*len(m.keys)
	add(blockhashAt, 32)
	places := placesOf(t, bytes)
	for _, budget := range places[:2] {
		add(budget.dataAt+1, budget.length-1)
	}
	callAccountsAt, callDataAt := places[len(places)-1].accountsAt, places[len(places)-1].dataAt
	owned, known, created := []int{5, 6}, []int{0, 1, 7, 8, 9, 10, 13}, 5
	switch kind {
	case "redemption":
		owned, known, created = []int{4}, []int{1, 5, 7}, -1
	case "buy":
		known, created = append(known, 16), 6
	}
	for _, account := range append(owned, known...) {
		// The account itself, and which account it is.
		add(accountsAt+32*int(bytes[callAccountsAt+account]), 32)
		if account != created {
			free[callAccountsAt+account] = true
		}
	}
	if kind != "redemption" {
		add(callDataAt+17, 8)
		add(callDataAt+27, 8)
	}
	return free
}
