package karat_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	karat "github.com/karat-gold/karat/packages/sdk-go"
)

func TestReadmeHasTheExample(t *testing.T) {
	readme, code := must(os.ReadFile("README.md"))(t), must(os.ReadFile("example/main.go"))(t)
	if !strings.Contains(string(readme), "```go\n"+string(code)+"```\n") {
		t.Error("README.md has not the code of example/main.go")
	}
}

func TestExampleMakesATrade(t *testing.T) {
	program := filepath.Join(t.TempDir(), "example")
	if printed, err := exec.Command("go", "build", "-o", program, "./example").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), "KARAT_STATE_DIR="+theSandbox(t).folder)
	text, err := command.CombinedOutput()
	printed := string(text)
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	if !strings.Contains(printed, "confirmed 0.02") || !strings.Contains(printed, "for 100 USDC") {
		t.Error(printed)
	}
}

func TestExampleWithoutASandboxEndsInOneLine(t *testing.T) {
	command := exec.Command("go", "run", "./example")
	command.Env = append(os.Environ(), "KARAT_STATE_DIR="+t.TempDir())
	printed, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(printed), "name its state folder in KARAT_STATE_DIR.\nexit status 1\n") {
		t.Errorf("%v: %s", err, printed)
	}
}

func TestReadmeNamesEveryMethod(t *testing.T) {
	text := string(must(os.ReadFile("README.md"))(t))
	named := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (itself|`+"`[A-Z].*?`"+`) \| (.*) \|$`).FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			named[strings.Trim(name, "`")] = row[2]
		}
	}
	client := must(karat.New(karat.Options{BaseURL: "http://127.0.0.1", APIKey: "key"}))(t)
	compare := func(name string, owner reflect.Type) {
		var methods []string
		for index := range owner.NumMethod() {
			methods = append(methods, owner.Method(index).Name)
		}
		listed := strings.Split(strings.ReplaceAll(named[name], "`", ""), ", ")
		slices.Sort(listed)
		if !slices.Equal(listed, methods) {
			t.Errorf("%s has the methods %v, and README.md names %v", name, methods, listed)
		}
	}
	compare("itself", reflect.TypeOf(client))
	for _, field := range reflect.VisibleFields(reflect.TypeOf(*client)) {
		if field.IsExported() {
			compare(field.Name, field.Type)
		}
	}
}

// withSpareWallet runs a program for a wallet that has no customer, and returns what it prints. A wallet belongs to one customer
// only, and others have used this sandbox.
func withSpareWallet(t *testing.T, program string) string {
	t.Helper()
	box := theSandbox(t)
	for _, file := range box.SpareWallets {
		command := exec.Command(program, file)
		command.Env = append(os.Environ(), "KARAT_STATE_DIR="+box.folder)
		printed, err := command.CombinedOutput()
		if err != nil && strings.Contains(string(printed), "user_already_exists") {
			continue
		}
		if err != nil {
			t.Fatalf("%v: %s", err, printed)
		}
		return string(printed)
	}
	t.Skip("every spare wallet of this sandbox has a customer")
	return ""
}

func TestBuyOfAnExactAmountIsConfirmedWithIt(t *testing.T) {
	s := start(t, karat.Options{})
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("98.765432")}
	before := must(s.Users.Balances(ctx, s.user))(t)
	trade := must(s.Buys.Execute(ctx, request, s.signing))(t)
	if trade.Status != karat.TradeStatusConfirmed || trade.Side != karat.SideBuy || trade.UsdcAmount != request.UsdcAmount {
		t.Errorf("the trade is %+v", trade)
	}
	after := must(s.Users.Balances(ctx, s.user))(t)
	if paid := before.Usdc.Sub(after.Usdc); paid != trade.UsdcAmount {
		t.Errorf("%s USDC were paid of %s", paid, trade.UsdcAmount)
	}
	if received := after.Gold.Sub(before.Gold); received != trade.GoldAmount {
		t.Errorf("%s GOLD were received of %s", received, trade.GoldAmount)
	}
	if read := must(s.Trades.Get(ctx, trade.TradeID))(t); *read != *trade {
		t.Errorf("the record is %+v, and was %+v", read, trade)
	}
}

func TestBuyOfAnAmountOfGoldGivesAtLeastThat(t *testing.T) {
	s := start(t, karat.Options{})
	none := int64(0)
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, GoldAmount: dec("0.012345"), SlippageBps: &none}
	quote := must(s.Buys.Quote(ctx, request))(t)
	if quote.Quote.MinGoldOut != quote.Quote.GoldAmount || quote.Quote.GoldAmount.Cmp(request.GoldAmount) < 0 {
		t.Errorf("the quote is %+v", quote.Quote)
	}
	request.SlippageBps = nil
	trade := must(s.Buys.Execute(ctx, request, s.signing))(t)
	if trade.GoldAmount.Cmp(dec("0.0122")) < 0 {
		t.Errorf("the trade is %+v", trade)
	}
}

func TestSellOfAnExactAmountIsConfirmedWithIt(t *testing.T) {
	s := start(t, karat.Options{})
	request := karat.QuoteSellRequest{ServiceUserID: s.user, GoldAmount: dec("0.010101"), MinUsdcOut: dec("1.5")}
	trade := must(s.Sells.Execute(ctx, request, s.signing))(t)
	if trade.Status != karat.TradeStatusConfirmed || trade.Side != karat.SideSell || trade.GoldAmount != request.GoldAmount {
		t.Errorf("the trade is %+v", trade)
	}
}

func TestRedemptionIsPaidAndCancelled(t *testing.T) {
	s := start(t, karat.Options{PartnerID: theSandbox(t).Partners[0].ID})
	offered := must(s.Countries.Denominations(ctx, karat.ListDenominationsParams{Country: "PK", City: "Karachi"}))(t)
	request := karat.QuoteRedemptionRequest{ServiceUserID: s.user, DenominationID: offered[0].ID, City: offered[0].City}
	signing := karat.Signing{Signers: []karat.Signer{s.customer}, WalletAddress: s.customer.Address()}

	signing.MaxTokens = dec("0.1")
	failure := requireError(t, second(s.Redemptions.Execute(ctx, request, signing)), karat.CodeTransactionUnexpected)
	if failure.Field != string(karat.DifferenceMaximum) {
		t.Errorf("the error is %v", failure)
	}

	signing.MaxTokens = dec("1")
	redemption := must(s.Redemptions.Execute(ctx, request, signing))(t)
	if redemption.Status != karat.RedemptionStatusSubmitted && redemption.Status != karat.RedemptionStatusPreparing {
		t.Errorf("the redemption is %+v", redemption)
	}
	must(s.Redemptions.Cancel(ctx, redemption.RedemptionID, karat.CancelRedemptionRequest{Reason: "moved"}))(t)
	read := must(s.Redemptions.Get(ctx, redemption.RedemptionID))(t)
	if read.Status != karat.RedemptionStatusCancellationRequested && read.Status != karat.RedemptionStatusCancelled {
		t.Errorf("the redemption is %+v", read)
	}
	listed := must(karat.Take(s.Redemptions.List(ctx, karat.ListRedemptionsParams{ServiceUserID: s.user}), 1))(t)
	if len(listed) != 1 || listed[0].RedemptionID != redemption.RedemptionID {
		t.Errorf("the list begins with %+v", listed)
	}
	operation := must(s.Operations.Get(ctx, redemption.RedemptionID, karat.GetOperationParams{}))(t)
	if record := must(operation.Redemption())(t); record.RedemptionID != redemption.RedemptionID {
		t.Errorf("the operation is %+v", operation)
	}
}

// second returns the error of a call.
func second[Value any](_ Value, err error) error { return err }

func TestStepsOfATradeMakeIt(t *testing.T) {
	s := start(t, karat.Options{})
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("20")}
	quote := must(s.Buys.Quote(ctx, request))(t)
	signed := must(s.Buys.Sign(ctx, quote, request, s.signing))(t)
	inspected := must(s.InspectTransaction(ctx, signed))(t)
	if inspected.Kind != karat.InspectTransactionResultKindBuy || len(inspected.Problems) > 0 {
		t.Errorf("the transaction is %+v", inspected)
	}
	amounts := 0
	for _, instruction := range inspected.Instructions {
		for name, value := range instruction.Fields {
			if _, isFloat := value.(float64); isFloat {
				t.Errorf("%s of %s is a float", name, instruction.Program)
			}
			if _, isExact := value.(json.Number); isExact {
				amounts++
			}
		}
	}
	if amounts == 0 {
		t.Error("no field is a number")
	}
	failure := requireError(t, second(s.Operations.Outcome(ctx, quote.TradeID, time.Nanosecond)), karat.CodeTimeout)
	if failure.OperationID != quote.TradeID {
		t.Errorf("the error is %+v", failure)
	}
	submitted := must(s.Buys.Submit(ctx, quote.TradeID, signed))(t)
	operation := must(s.Operations.Outcome(ctx, quote.TradeID, 0))(t)
	if operation.TxHash != submitted.TxHash {
		t.Errorf("the operation is %+v", operation)
	}
	if trade := must(operation.Trade())(t); trade.UsdcAmount != request.UsdcAmount {
		t.Errorf("the trade is %+v", trade)
	}
}

func TestCustomerWithoutMoneyIsRefusedWithTheReason(t *testing.T) {
	s := start(t, karat.Options{})
	customer := newWallet(t)
	registered := newUser(t)
	registered.WalletAddress = customer.Address()
	user := must(s.Users.Create(ctx, registered))(t)
	request := karat.QuoteBuyRequest{ServiceUserID: user.ServiceUserID, UsdcAmount: dec("20")}
	signing := karat.Signing{Signers: []karat.Signer{s.partner, customer}}
	failure := requireError(t, second(s.Buys.Execute(ctx, request, signing)), karat.ErrorCodeBroadcastFailed)
	if failure.Reason != karat.ReasonTokenAccountMissing || failure.Status != 400 || !strings.Contains(failure.DocURL, "token_account_missing") {
		t.Errorf("the error is %+v", failure)
	}
}

func TestTradeWhoseSubmitGotNoResponseIsMadeOnce(t *testing.T) {
	p := startProxy(t, firstOf("/submit"))
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach()})
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("21")}
	before := must(s.Users.Balances(ctx, s.user))(t)
	trade := must(s.Buys.Execute(ctx, request, s.signing))(t)
	after := must(s.Users.Balances(ctx, s.user))(t)
	if keys := p.keys("/submit"); len(keys) != 2 || keys[0] != keys[1] {
		t.Errorf("the submits had the keys %v", keys)
	}
	if paid := before.Usdc.Sub(after.Usdc); trade.UsdcAmount != request.UsdcAmount || paid != request.UsdcAmount {
		t.Errorf("%s USDC were paid for %+v", paid, trade)
	}
}

func TestTradeWhoseSubmitsAllGotNoResponseIsTheTradeThatLanded(t *testing.T) {
	p := startProxy(t, func(request string) int {
		line, _, _ := strings.Cut(request, "\r\n")
		if strings.Contains(line, "/submit") {
			return 40
		}
		return -1
	})
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach(), MaxRetries: 1})
	request := karat.QuoteSellRequest{ServiceUserID: s.user, UsdcAmount: dec("22")}
	trade := must(s.Sells.Execute(ctx, request, s.signing))(t)
	if keys := p.keys("/submit"); len(keys) != 2 || trade.Status != karat.TradeStatusConfirmed {
		t.Errorf("%d submits made %+v", len(keys), trade)
	}
}

func TestTradeWhoseOutcomeCannotBeReadMayStillLand(t *testing.T) {
	p := startProxy(t, func(request string) int {
		if strings.HasPrefix(request, "GET /v1/operations/") {
			return 0
		}
		return -1
	})
	s := start(t, karat.Options{BaseURL: p.url, HTTPClient: oneEach(), MaxRetries: -1})
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("23")}
	failure := requireError(t, second(s.Buys.Execute(ctx, request, s.signing)), karat.CodeTimeout)
	direct := start(t, karat.Options{})
	if operation := must(direct.Operations.Outcome(ctx, failure.OperationID, 0))(t); operation.Status == karat.OperationStatusFailed {
		t.Errorf("the operation is %+v", operation)
	}
}

func TestSignersOfAllKindsSignOneTransaction(t *testing.T) {
	s := start(t, karat.Options{})
	elsewhere := karat.SignerFunc(s.customer.SignTransaction)
	managed := karat.NewRemoteWallet(s.partner.Address(), s.partner.SignMessage)
	signing := karat.Signing{Signers: []karat.Signer{managed, elsewhere}}
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("24")}
	if trade := must(s.Buys.Execute(ctx, request, signing))(t); trade.Status != karat.TradeStatusConfirmed {
		t.Errorf("the trade is %+v", trade)
	}
}

func TestSignerThatChangesTheTransactionIsRefusedBeforeAKeySigns(t *testing.T) {
	s := start(t, karat.Options{})
	changes := karat.SignerFunc(func(_ ctxType, transaction []byte) ([]byte, error) {
		transaction[len(transaction)-1] ^= 1
		return transaction, nil
	})
	signed := 0
	counted := karat.NewRemoteWallet(s.partner.Address(), func(c ctxType, message []byte) ([]byte, error) {
		signed++
		return s.partner.SignMessage(c, message)
	})
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("24")}
	quote := must(s.Buys.Quote(ctx, request))(t)
	_, err := s.Buys.Sign(ctx, quote, request, karat.Signing{Signers: []karat.Signer{counted, changes}})
	requireError(t, err, karat.CodeTransactionChanged)
	if signed != 0 {
		t.Errorf("a key signed %d times", signed)
	}
}

func TestSignerThatIsNotOfTheTransactionIsUnknown(t *testing.T) {
	s := start(t, karat.Options{})
	request := karat.QuoteBuyRequest{ServiceUserID: s.user, UsdcAmount: dec("24")}
	quote := must(s.Buys.Quote(ctx, request))(t)
	for name, signer := range map[string]karat.Signer{
		"another wallet":    newWallet(t),
		"another signature": karat.NewRemoteWallet(s.customer.Address(), newWallet(t).SignMessage),
		"no signature":      karat.NewRemoteWallet(s.customer.Address(), func(ctxType, []byte) ([]byte, error) { return nil, nil }),
	} {
		_, err := s.Buys.Sign(ctx, quote, request, karat.Signing{Signers: []karat.Signer{s.partner, signer}})
		t.Run(name, func(t *testing.T) { requireError(t, err, karat.CodeSignerUnknown) })
	}
	broken := fmt.Errorf("the device is locked")
	locked := karat.NewRemoteWallet(s.customer.Address(), func(ctxType, []byte) ([]byte, error) { return nil, broken })
	if _, err := s.Buys.Sign(ctx, quote, request, karat.Signing{Signers: []karat.Signer{s.partner, locked}}); err != broken {
		t.Errorf("the error is %v", err)
	}
}

func TestKeyFileIsThatOfTheWallet(t *testing.T) {
	box := theSandbox(t)
	path := filepath.Join(t.TempDir(), "key.json")
	for _, text := range []string{"[]", "[1,2,3]", "{}", "[" + strings.Repeat("1,", 63) + "1]", "[" + strings.Repeat("300,", 63) + "1]"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := karat.ReadKeyFile(path); err == nil {
			t.Errorf("%s is no key", text)
		}
	}
	user := must(start(t, karat.Options{}).Users.Get(ctx, box.Users[0].ID))(t)
	if address := box.wallet(t, box.Users[0].KeyFile).Address(); address != user.WalletAddress {
		t.Errorf("the wallet is %s, not %s", address, user.WalletAddress)
	}
}

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	return must(base64.StdEncoding.DecodeString(text))(t)
}
