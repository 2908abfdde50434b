package karat

import (
	"crypto/ed25519"
	"fmt"
)

const maxTransactionBytes = 1_232

// refusal is why a transaction is not signed.
type refusal struct {
	difference Difference
	text       string
}

func refuse(difference Difference, format string, values ...any) *refusal {
	return &refusal{difference, fmt.Sprintf(format, values...)}
}

type instruction struct {
	program  string
	accounts []string
	data     []byte
}

type message struct {
	messageAt    int
	required     int
	keys         []ed25519.PublicKey
	addresses    []string
	instructions []instruction
}

// reader reads a transaction from its first byte; after the first refusal it reads zeros.
type reader struct {
	bytes   []byte
	at      int
	refusal *refusal
}

func (r *reader) fail(difference Difference, format string, values ...any) {
	if r.refusal == nil {
		r.refusal = refuse(difference, format, values...)
	}
}

func (r *reader) take(length int) []byte {
	if r.refusal == nil && r.at+length > len(r.bytes) {
		r.fail(DifferenceMalformed, "its bytes end too early")
	}
	if r.refusal != nil {
		return make([]byte, length)
	}
	r.at += length
	return r.bytes[r.at-length : r.at]
}

func (r *reader) byte() int { return int(r.take(1)[0]) }

// count reads the short form of wire transactions; no count of a transaction is beyond two bytes.
func (r *reader) count() int {
	low := r.byte()
	if low < 0x80 {
		return low
	}
	high := r.byte()
	if high == 0 || high >= 0x80 {
		r.fail(DifferenceMalformed, "a count is not in its shortest form")
		return 0
	}
	return low&0x7f + high<<7
}

// readMessage reads a legacy transaction to its last byte, as strictly as nodes do: what reads differently elsewhere is refused.
// One with lookup tables, whose addresses are not in it, is another version.
func readMessage(transaction []byte) (*message, *refusal) {
	if len(transaction) > maxTransactionBytes {
		return nil, refuse(DifferenceMalformed, "it is longer than %d bytes", maxTransactionBytes)
	}
	r := &reader{bytes: transaction}
	signatures := r.count()
	r.take(64 * signatures)
	m := &message{messageAt: r.at}
	if r.at < len(transaction) && transaction[r.at] >= 0x80 {
		r.fail(DifferenceVersion, "it is of another version than the legacy one")
	}
	m.required = r.byte()
	readonlySigned, readonlyUnsigned := r.byte(), r.byte()
	seen := map[string]bool{}
	for range r.count() {
		key := r.take(ed25519.PublicKeySize)
		m.keys, m.addresses = append(m.keys, key), append(m.addresses, toBase58(key))
		seen[string(key)] = true
	}
	if signatures != m.required || readonlySigned >= m.required || m.required+readonlyUnsigned > len(m.keys) {
		r.fail(DifferenceMalformed, "its header contradicts its signatures and accounts")
	}
	if len(seen) != len(m.keys) {
		r.fail(DifferenceMalformed, "it names an account twice")
	}
	r.take(32)
	key := func(index int) string {
		if index < len(m.addresses) {
			return m.addresses[index]
		}
		r.fail(DifferenceMalformed, "it uses an account that it does not name")
		return ""
	}
	for range r.count() {
		one := instruction{program: key(r.byte())}
		for _, index := range r.take(r.count()) {
			one.accounts = append(one.accounts, key(int(index)))
		}
		one.data = r.take(r.count())
		m.instructions = append(m.instructions, one)
	}
	if r.at != len(transaction) {
		r.fail(DifferenceMalformed, "bytes follow its end")
	}
	if r.refusal != nil {
		return nil, r.refusal
	}
	return m, nil
}

func (m *message) signers() []string { return m.addresses[:m.required] }
