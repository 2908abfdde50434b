package karat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

const (
	longestWait = 120 * time.Second
	// longestPoll is how long a request waits for a change.
	longestPoll = 16 * time.Second
	// sendAgain is after how long without an outcome what a node did not take is sent again.
	sendAgain = 4 * time.Second
)

// Operations are the transactions of trades and redemptions.
type Operations struct{ client *Client }

// Get returns what became of a trade or redemption; with Wait, once its status is another than Status, which the caller knows,
// or after so many seconds, up to 30.
func (o *Operations) Get(ctx context.Context, operationID string, query GetOperationParams) (*Operation, error) {
	return get[Operation](ctx, o.client, "/v1/operations"+part(operationID), query)
}

// Outcome returns an operation once its transaction is on chain, or can no longer land. It fails with CodeTimeout after wait,
// which is 120 s for 0: then the transaction may still land.
func (o *Operations) Outcome(ctx context.Context, operationID string, wait time.Duration) (*Operation, error) {
	if wait == 0 {
		wait = longestWait
	}
	end := time.Now().Add(wait)
	// The first only looks: what it finds is what the others wait for to change.
	for query := (GetOperationParams{}); ; {
		left := time.Until(end)
		query.Wait = "0"
		if query.Status != "" && left > 0 {
			query.Wait = strconv.Itoa(int(min(longestPoll, left+time.Second-1) / time.Second))
		}
		operation, err := o.Get(ctx, operationID, query)
		var failure *Error
		if query.Wait != "0" && errors.As(err, &failure) && failure.Code == ErrorCodeRateLimited {
			// As many requests of the partner wait as may: this one only looks.
			asked := failure.RetryAfter
			if asked == 0 {
				asked = time.Second
			}
			if err := pause(ctx, asked); err != nil {
				return nil, err
			}
			operation, err = o.Get(ctx, operationID, GetOperationParams{})
		}
		if err != nil {
			return nil, err
		}
		if operation.Status != OperationStatusSubmitted && operation.Status != OperationStatusUnknown {
			return operation, nil
		}
		if left <= 0 {
			return nil, notKnown(operationID, operation, nil)
		}
		query.Status = operation.Status
	}
}

// carryOut submits what was signed of a quote, again where a node does not take it for now, and returns its record.
func carryOut[Record any](ctx context.Context, c *Client, id string, wait time.Duration, submit func() error) (*Record, error) {
	operation, err := c.Operations.follow(ctx, id, wait, submit)
	if err != nil {
		return nil, err
	}
	if err := failureOf(id, operation); err != nil {
		return nil, err
	}
	record := new(Record)
	if err := decode(operation.Record, record); err != nil {
		return nil, notKnown(id, operation, err)
	}
	return record, nil
}

// follow returns the operation of a quote whose transaction is on chain, or can no longer land.
func (o *Operations) follow(ctx context.Context, id string, wait time.Duration, submit func() error) (*Operation, error) {
	if wait == 0 {
		wait = longestWait
	}
	end := time.Now().Add(wait)
	var lost *Error
	for {
		err := submit()
		if err == nil {
			lost = nil
		} else if lost == nil {
			if lost, err = o.unlessRefused(ctx, id, err); err != nil {
				return nil, err
			}
		}
		left := max(time.Until(end), time.Nanosecond)
		// A node that lags takes the same bytes a moment later.
		isForNow := lost != nil && lost.Reason == ReasonNodeUnavailable && left > sendAgain
		if isForNow {
			left = sendAgain
		}
		operation, err := o.Outcome(ctx, id, left)
		if err == nil {
			return operation, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		var failure *Error
		if errors.As(err, &failure) && failure.Code == CodeTimeout {
			if isForNow {
				continue
			}
			operation = failure.Operation
		}
		if lost != nil {
			err = lost
		}
		return nil, notKnown(id, operation, err)
	}
}

// unlessRefused returns the error of a submit whose transaction the chain may have all the same, and fails with any other. A
// refusal is believed only if no earlier try may have arrived, and the operation, of which the API is asked first, has it as
// its last word.
func (o *Operations) unlessRefused(ctx context.Context, id string, err error) (*Error, error) {
	var failure *Error
	if !errors.As(err, &failure) {
		return nil, err
	}
	failure.OperationID = id
	if failure.Status == 0 || failure.Status >= 500 || failure.MayHaveArrived {
		return failure, nil
	}
	operation, other := o.Get(ctx, id, GetOperationParams{})
	if other != nil {
		if ctx.Err() != nil {
			return nil, other
		}
		return nil, err
	}
	if operation.Status == OperationStatusUnknown || (operation.Status == OperationStatusSubmitted && operation.Reason != "") {
		return nil, err
	}
	return failure, nil
}

// failureOf returns the error of an operation that did not succeed, and of one without a record.
func failureOf(id string, operation *Operation) error {
	failure := &Error{Message: operation.Message, Reason: operation.Reason, OperationID: id, Operation: operation}
	switch operation.Status {
	case OperationStatusExpired:
		failure.Code = CodeExpired
		if failure.Reason == "" {
			failure.Reason = ReasonQuoteExpired
		}
		if failure.Message == "" {
			failure.Message = fmt.Sprintf("The transaction of %s has expired: request a new quote.", id)
		}
		return failure
	case OperationStatusFailed:
		failure.Code = CodeTradeFailed
		if operation.Kind == OperationKindRedemption {
			failure.Code = CodeRedemptionFailed
		}
		if failure.Message == "" {
			failure.Message = fmt.Sprintf("The transaction of %s has failed on chain.", id)
		}
		return failure
	}
	if len(operation.Record) == 0 || string(operation.Record) == "null" {
		return notKnown(id, operation, nil)
	}
	return nil
}

func notKnown(id string, operation *Operation, cause error) *Error {
	message := fmt.Sprintf("It is not known yet what became of %s: it may still land. Ask again with Operations.Outcome.", id)
	failure := &Error{Code: CodeTimeout, Message: message, OperationID: id, Operation: operation, cause: cause}
	if operation != nil {
		failure.Reason = operation.Reason
	}
	return failure
}

// Trade returns the record of a buy or sell; nothing while there is none.
func (o *Operation) Trade() (*Trade, error) { return recordOf[Trade](o.Record) }

// Redemption returns the record of a redemption; nothing while there is none.
func (o *Operation) Redemption() (*RedemptionWithFigures, error) {
	return recordOf[RedemptionWithFigures](o.Record)
}

func recordOf[Record any](text json.RawMessage) (*Record, error) {
	var record *Record
	if len(text) == 0 {
		return nil, nil
	}
	if err := decode(text, &record); err != nil {
		return nil, &Error{Code: CodeUnexpectedResponse, Message: "The record is not that of the API.", cause: err}
	}
	return record, nil
}
