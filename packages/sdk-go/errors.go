package karat

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// What Error.Code is besides the ErrorCode of a response.
const (
	// CodeNetworkError: there was no response, also after the last try.
	CodeNetworkError ErrorCode = "network_error"
	// CodeUnexpectedResponse: the response was not the API's, such as a proxy's.
	CodeUnexpectedResponse ErrorCode = "unexpected_response"
	// CodeTradeFailed: the chain refused the transaction of a trade; Reason says why.
	CodeTradeFailed ErrorCode = "trade_failed"
	// CodeRedemptionFailed: the chain refused the transaction of a redemption; Reason says why.
	CodeRedemptionFailed ErrorCode = "redemption_failed"
	// CodeExpired: the transaction can no longer land. Request a new quote.
	CodeExpired ErrorCode = "expired"
	// CodeTimeout: it is not known whether the transaction of OperationID lands. Operations.Outcome waits for it.
	CodeTimeout ErrorCode = "timeout"
	// CodeSignatureInvalid: a webhook was not signed with the secret, or is more than 5 minutes old.
	CodeSignatureInvalid ErrorCode = "signature_invalid"
	// CodeSignerUnknown: a signer cannot sign this transaction.
	CodeSignerUnknown ErrorCode = "signer_unknown"
	// CodeTransactionChanged: a signer returned another transaction. The keys after it signed nothing.
	CodeTransactionChanged ErrorCode = "transaction_changed"
	// CodeTransactionUnexpected: the transaction is not the one of the request. Field is the difference, and nothing was signed.
	CodeTransactionUnexpected ErrorCode = "transaction_unexpected"
	// CodeNetworkChanged: the API names another program, mint or service signer than the pinned one.
	CodeNetworkChanged ErrorCode = "network_changed"
	// CodeURLInsecure: BaseURL is http to another machine.
	CodeURLInsecure ErrorCode = "url_insecure"
)

// Error is what all calls fail with, except what their context ends with and what signers return:
//
//	var failure *karat.Error
//	if errors.As(err, &failure) && failure.Reason == karat.ReasonInsufficientGold { … }
type Error struct {
	// Code is the error of a response, or one of the constants above.
	Code ErrorCode
	// Message is for people; its wording may change.
	Message string
	// Status of HTTP; 0 where there was no response.
	Status int
	// Reason is why, from a closed list; DocURL is its page.
	Reason Reason
	// Field is the path of the input field to blame.
	Field     string
	RequestID string
	DocURL    string
	// OperationID is the trade or redemption, once Execute has submitted it, for Operations.Get. After a timeout it may still land.
	OperationID string
	// MayHaveArrived says that an earlier try of the same write got no response: what that did is not known, whatever this
	// error says.
	MayHaveArrived bool
	// RetryAfter is how long the API asks to wait; 0 when it does not.
	RetryAfter time.Duration
	// Operation is the one that did not succeed, if there is one.
	Operation *Operation
	// Body is that of the response.
	Body []byte

	cause error
}

// Error returns the code with the message.
func (e *Error) Error() string {
	text := "karat: " + string(e.Code)
	if e.Reason != "" {
		text += " (" + string(e.Reason) + ")"
	}
	text += ": " + e.Message
	if e.cause != nil {
		text += " " + e.cause.Error()
	}
	return text
}

// Unwrap returns what caused the error.
func (e *Error) Unwrap() error { return e.cause }

// reply is a whole response of the API.
type reply struct {
	status int
	header http.Header
	body   []byte
	// afterLostTry: an earlier try of the same write may have been carried out.
	afterLostTry bool
}

func (r *reply) asError() *Error {
	var known ErrorBody
	if err := json.Unmarshal(r.body, &known); err != nil || known.Error == "" {
		known = ErrorBody{Error: CodeUnexpectedResponse, Message: "The API returned " + strconv.Itoa(r.status) + "."}
	}
	wait, _ := retryAfter(r.header)
	return &Error{
		Code:           known.Error,
		Message:        known.Message,
		Status:         r.status,
		Reason:         known.Reason,
		Field:          known.Field,
		RequestID:      r.header.Get("X-Request-Id"),
		DocURL:         known.DocURL,
		MayHaveArrived: r.afterLostTry,
		RetryAfter:     wait,
		Body:           r.body,
	}
}

// retryAfter returns how long a response asks to wait, and whether it does.
func retryAfter(header http.Header) (time.Duration, bool) {
	text := header.Get("Retry-After")
	if text == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(0, seconds)) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}
