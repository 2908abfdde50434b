package karat

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Difference is what of a transaction is not as it must be: the Field of a CodeTransactionUnexpected. docs/transactions.md
// explains each.
type Difference string

// All differences.
const (
	DifferenceMalformed     Difference = "malformed"
	DifferenceVersion       Difference = "version"
	DifferenceFeePayer      Difference = "fee_payer"
	DifferenceSigners       Difference = "signers"
	DifferenceInstructions  Difference = "instructions"
	DifferenceProgram       Difference = "program"
	DifferenceComputeBudget Difference = "compute_budget"
	DifferenceMemo          Difference = "memo"
	DifferenceTokenAccount  Difference = "token_account"
	DifferenceAccounts      Difference = "accounts"
	DifferencePartner       Difference = "partner"
	DifferenceUser          Difference = "user"
	DifferenceMint          Difference = "mint"
	DifferenceID            Difference = "id"
	DifferenceAmount        Difference = "amount"
	DifferenceMinimum       Difference = "minimum"
	DifferenceMaximum       Difference = "maximum"
	DifferenceFee           Difference = "fee"
)

// Parties are whose signatures a transaction needs besides the service's, and what it may take.
type Parties struct {
	// UserWallet is the customer's wallet.
	UserWallet string
	// PartnerWallets are those of which one must be the partner's; none: any that signs. Of trades.
	PartnerWallets []string
	// PartnerID is whose customer pays, a UUID; empty: anyone's. Of redemptions.
	PartnerID string
	// MaxTokens is the most GOLD that it may take, with its fee; not set: what the quote requires. Of redemptions.
	MaxTokens Decimal
}

const (
	computeBudgetProgram = "ComputeBudget111111111111111111111111111111"
	memoProgram          = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
	tokenAccountsProgram = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
	systemProgram        = "11111111111111111111111111111111"
	tokenProgram         = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	token2022Program     = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

	tokenDecimals      = 6
	defaultSlippageBps = 50
)

// CheckBuy returns nothing if the transaction of a quote is the one of its request, on this network and between these parties,
// to the byte where it matters; an *Error with CodeTransactionUnexpected, and the Difference as its Field, if it is any other.
func CheckBuy(request QuoteBuyRequest, quote *QuoteBuyResult, network *SolanaNetwork, parties Parties) error {
	return checking(func() {
		figures := quote.Quote
		checkTrade(quote.PartiallySignedTransaction, network, parties, trade{
			kind: "buy", id: quote.TradeID, feeBps: figures.FeeBps,
			amountIn: request.UsdcAmount, amountOut: request.GoldAmount, floor: request.MinGoldOut, slippageBps: request.SlippageBps,
			quotedIn: figures.UsdcAmount, quotedOut: figures.GoldAmount, quotedFloor: figures.MinGoldOut, grain: 10,
		})
	})
}

// CheckSell is CheckBuy for sells.
func CheckSell(request QuoteSellRequest, quote *QuoteSellResult, network *SolanaNetwork, parties Parties) error {
	return checking(func() {
		figures := quote.Quote
		checkTrade(quote.PartiallySignedTransaction, network, parties, trade{
			kind: "sell", id: quote.TradeID, feeBps: figures.FeeBps,
			amountIn: request.GoldAmount, amountOut: request.UsdcAmount, floor: request.MinUsdcOut, slippageBps: request.SlippageBps,
			quotedIn: figures.GoldAmount, quotedOut: figures.UsdcAmount, quotedFloor: figures.MinUsdcOut, grain: 100_000,
		})
	})
}

// CheckRedemption is CheckBuy for redemptions.
func CheckRedemption(quote *QuoteRedemptionResult, network *SolanaNetwork, parties Parties) error {
	return checking(func() { checkRedemption(quote, network, parties) })
}

// checking returns what a check panicked with; what cannot be read is refused, too.
func checking(check func()) (err error) {
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case *refusal:
			err = failed.asError()
		default:
			err = refuse(DifferenceMalformed, "it cannot be read (%v)", failed).asError()
		}
	}()
	check()
	return nil
}

func (r *refusal) asError() *Error {
	text := "This is not the transaction of the request: " + r.text + ". Nothing was signed."
	return &Error{Code: CodeTransactionUnexpected, Message: text, Field: string(r.difference)}
}

// requireEqual panics with a refusal, as all that follow do.
func requireEqual[Value comparable](difference Difference, is, must Value, what string) {
	if is != must {
		panic(refuse(difference, "%s is %v, and must be %v", what, is, must))
	}
}

func requireUnits(difference Difference, is, must *big.Int, what string) {
	requireEqual(difference, is.String(), must.String(), what)
}

// trade is what a request names of a trade, and what its quote makes of it.
type trade struct {
	kind   string
	id     string
	feeBps int64
	// What goes in, what comes out instead, and the least of that, where the request names them.
	amountIn, amountOut, floor       Decimal
	slippageBps                      *int64
	quotedIn, quotedOut, quotedFloor Decimal
	// What the smallest amount that goes in is worth at most.
	grain int64
}

// readCall reads a transaction, compares all but its last instruction and the memo's text, and returns its signers with the
// memo, the instruction before the last, and the last.
func readCall(transaction string, network *SolanaNetwork, programs ...string) (signers []string, note, before, call instruction) {
	bytes, err := base64.StdEncoding.Strict().DecodeString(transaction)
	if err != nil || strings.ContainsAny(transaction, "\r\n") {
		panic(refuse(DifferenceMalformed, "it is no base64 of a transaction"))
	}
	message, refused := readMessage(bytes)
	if refused != nil {
		panic(refused)
	}
	signers = message.signers()
	if !slices.Contains(network.ServiceSigners, signers[0]) {
		panic(refuse(DifferenceFeePayer, "its fee payer %s is no service signer of the network", signers[0]))
	}
	instructions := message.instructions
	requireEqual(DifferenceInstructions, len(instructions), len(programs)+1, "the number of its instructions")
	for at, program := range programs {
		requireEqual(DifferenceInstructions, instructions[at].program, program, fmt.Sprintf("the program of instruction %d", at+1))
	}
	call = instructions[len(programs)]
	requireEqual(DifferenceProgram, call.program, network.ProgramID, "the program that it calls")
	requireBudget(instructions[0], 2, 5)
	requireBudget(instructions[1], 3, 9)
	return signers, instructions[2], instructions[len(programs)-1], call
}

func requireBudget(one instruction, first byte, length int) {
	requireEqual(DifferenceComputeBudget, len(one.accounts), 0, "the number of accounts of a compute budget instruction")
	requireData(DifferenceComputeBudget, one, first, length, "the compute budget")
}

func requireData(difference Difference, one instruction, first byte, length int, what string) {
	requireEqual(difference, len(one.data), length, "the length of "+what)
	requireEqual(difference, one.data[0], first, "the first byte of "+what)
}

func requireMemo(note instruction, service, text string) {
	requireEqual(DifferenceMemo, strings.Join(note.accounts, ","), service, "the signer of its memo")
	requireEqual(DifferenceMemo, string(note.data), text, "its memo")
}

func checkTrade(transaction string, network *SolanaNetwork, parties Parties, t trade) {
	signers, note, creation, call := readCall(transaction, network, computeBudgetProgram, computeBudgetProgram, memoProgram, tokenAccountsProgram)
	isBuy := t.kind == "buy"
	number, length := byte(21), 17
	if isBuy {
		number, length = 20, 18
	}
	requireEqual(DifferenceAccounts, len(call.accounts), length, "the number of accounts of the trade")
	accounts := call.accounts
	service, partner, user := accounts[2], accounts[3], accounts[4]
	needed := 3
	if partner == user {
		// A partner who trades for itself is both.
		needed = 2
	}
	requireEqual(DifferenceSigners, len(signers), needed, "the number of its signers")
	requireEqual(DifferenceAccounts, service, signers[0], "the service signer of the trade")
	requireEqual(DifferenceUser, user, parties.UserWallet, "the user's wallet")
	if !slices.Contains(signers, partner) || (len(parties.PartnerWallets) > 0 && !slices.Contains(parties.PartnerWallets, partner)) {
		panic(refuse(DifferencePartner, "its partner wallet is %s, which is none of the partner's that sign", partner))
	}
	if !slices.Contains(signers, user) {
		panic(refuse(DifferenceSigners, "it is not for %s to sign", user))
	}
	requireEqual(DifferenceMint, accounts[11], network.UsdcMint, "the mint of USDC")
	requireEqual(DifferenceMint, accounts[12], network.GoldMint, "the mint of GOLD")
	requireEqual(DifferenceAccounts, accounts[14], tokenProgram, "the token program of USDC")
	requireEqual(DifferenceAccounts, accounts[15], token2022Program, "the token program of GOLD")
	requireEqual(DifferenceAccounts, accounts[length-1], call.program, "the last account of the trade")
	checkTokenAccount(creation, accounts, isBuy)

	requireData(DifferenceInstructions, call, number, 51, "the trade")
	amount, minimum, maximum := u64(call.data, 1), u64(call.data, 9), u64(call.data, 17)
	checkAmounts(t, amount, minimum, maximum)
	requireEqual(DifferenceFee, int64(binary.LittleEndian.Uint16(call.data[25:])), t.feeBps, "the highest fee")
	requireEqual(DifferenceID, "trd_"+uuidText(call.data[35:51]), t.id, "the id of the trade")
	requireMemo(note, signers[0], fmt.Sprintf("karat|1|%s|%s|%s", t.kind, t.id, amount))
}

// checkTokenAccount compares the instruction that creates the account which gets what comes out.
func checkTokenAccount(creation instruction, accounts []string, isBuy bool) {
	partner, user, userUsdc, userGold, usdcMint, goldMint := accounts[3], accounts[4], accounts[5], accounts[6], accounts[11], accounts[12]
	payer := partner
	if len(creation.accounts) > 0 && creation.accounts[0] == user {
		// A user who made several accounts within a day pays for the next.
		payer = user
	}
	makes := []string{payer, userUsdc, user, usdcMint, systemProgram, tokenProgram}
	if isBuy {
		makes = []string{payer, userGold, user, goldMint, systemProgram, token2022Program}
	}
	requireEqual(DifferenceTokenAccount, strings.Join(creation.accounts, ","), strings.Join(makes, ","), "the account that it creates")
	requireEqual(DifferenceTokenAccount, string(creation.data), "\x01", "the instruction that creates the account")
}

// checkAmounts: the amount is the one requested. The least that comes out is the one requested, or the slippage below what was
// quoted, which is no less than what was requested; the most is at most a tenth above what was requested, if that was named.
func checkAmounts(t trade, amount, minimum, maximum *big.Int) {
	quotedIn, quotedOut, quotedFloor := toUnits(t.quotedIn), toUnits(t.quotedOut), toUnits(t.quotedFloor)
	if !t.amountIn.IsSet() && !t.amountOut.IsSet() {
		panic(refuse(DifferenceAmount, "the request names no amount"))
	}
	requested := quotedIn
	if t.amountIn.IsSet() {
		requested = toUnits(t.amountIn)
	}
	requireUnits(DifferenceAmount, amount, requested, "the amount")
	requireUnits(DifferenceMinimum, minimum, quotedFloor, "the least that comes out")
	requireUnits(DifferenceMinimum, minimum, leastOut(t, quotedOut), "the least that comes out")
	if maximum.Cmp(quotedOut) < 0 {
		panic(refuse(DifferenceMaximum, "at most %s comes out, less than was quoted", maximum))
	}
	if !t.amountOut.IsSet() {
		return
	}
	amountOut := toUnits(t.amountOut)
	if quotedOut.Cmp(amountOut) < 0 {
		panic(refuse(DifferenceMinimum, "%s was quoted, less than %s", quotedOut, amountOut))
	}
	most := new(big.Int).Mul(amountOut, big.NewInt(11))
	most.Quo(most, ten).Add(most, big.NewInt(t.grain))
	if maximum.Cmp(most) > 0 {
		panic(refuse(DifferenceMaximum, "up to %s may be traded, far more than %s", maximum, amountOut))
	}
}

// leastOut returns the least that comes out: what the request says, which may have more decimals and is rounded up as the
// service does, or the slippage below what was quoted.
func leastOut(t trade, quotedOut *big.Int) *big.Int {
	if t.floor.IsSet() {
		units, isExact := t.floor.Units(tokenDecimals)
		if !isExact && t.floor.Cmp(Decimal{}) > 0 {
			units.Add(units, big.NewInt(1))
		}
		return units
	}
	slippage := int64(defaultSlippageBps)
	if t.slippageBps != nil {
		slippage = *t.slippageBps
	}
	least := new(big.Int).Mul(quotedOut, big.NewInt(10_000-slippage))
	return least.Quo(least, big.NewInt(10_000))
}

func checkRedemption(quote *QuoteRedemptionResult, network *SolanaNetwork, parties Parties) {
	signers, note, _, call := readCall(quote.PartiallySignedTransaction, network, computeBudgetProgram, computeBudgetProgram, memoProgram)
	accounts := call.accounts
	requireEqual(DifferenceAccounts, len(accounts), 11, "the number of accounts of the redemption")
	payer, service, user, goldMint := accounts[0], accounts[2], accounts[3], accounts[6]
	requireEqual(DifferenceSigners, len(signers), 2, "the number of its signers")
	requireEqual(DifferenceAccounts, payer, signers[0], "who pays the rent of the redemption")
	requireEqual(DifferenceAccounts, service, signers[0], "the service signer of the redemption")
	requireEqual(DifferenceUser, user, parties.UserWallet, "the user's wallet")
	requireEqual(DifferenceSigners, signers[1], user, "the second signer")
	requireEqual(DifferenceMint, goldMint, network.GoldMint, "the mint of GOLD")
	programs := strings.Join([]string{token2022Program, systemProgram, call.program}, ",")
	requireEqual(DifferenceAccounts, strings.Join(accounts[8:], ","), programs, "the programs of the redemption")
	requireData(DifferenceInstructions, call, 26, 41, "the redemption")
	amount := u64(call.data, 33)
	if parties.PartnerID != "" {
		requireEqual(DifferencePartner, uuidText(call.data[17:33]), parties.PartnerID, "the partner of the redemption")
	}
	required, err := ParseDecimal(quote.Quote.TokensRequired)
	if err != nil {
		panic(refuse(DifferenceAmount, "%q is no amount", quote.Quote.TokensRequired))
	}
	requireUnits(DifferenceAmount, amount, toUnits(required), "the amount")
	if parties.MaxTokens.IsSet() {
		if most := toUnits(parties.MaxTokens); amount.Cmp(most) > 0 {
			panic(refuse(DifferenceMaximum, "it takes %s, more than %s", amount, most))
		}
	}
	requireEqual(DifferenceID, "red_"+uuidText(call.data[1:17]), quote.RedemptionID, "the id of the redemption")
	requireMemo(note, signers[0], fmt.Sprintf("karat|1|redeem|%s|%s", quote.RedemptionID, amount))
}

// toUnits returns an amount in base units, of which there are a million.
func toUnits(amount Decimal) *big.Int {
	units, isExact := amount.Units(tokenDecimals)
	if !isExact || units.Sign() < 0 {
		panic(refuse(DifferenceAmount, "%q is no amount", amount))
	}
	return units
}

func u64(data []byte, at int) *big.Int {
	return new(big.Int).SetUint64(binary.LittleEndian.Uint64(data[at:]))
}
