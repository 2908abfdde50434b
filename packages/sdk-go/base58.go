package karat

import (
	"math/big"
	"strings"
)

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

var fiftyEight = big.NewInt(58)

// toBase58 returns bytes as addresses are written.
func toBase58(bytes []byte) string {
	value, digit := new(big.Int).SetBytes(bytes), new(big.Int)
	var reversed []byte
	for value.Sign() > 0 {
		value.QuoRem(value, fiftyEight, digit)
		reversed = append(reversed, base58Alphabet[digit.Int64()])
	}
	for _, one := range bytes {
		if one != 0 {
			break
		}
		reversed = append(reversed, base58Alphabet[0])
	}
	var text strings.Builder
	for at := len(reversed) - 1; at >= 0; at-- {
		text.WriteByte(reversed[at])
	}
	return text.String()
}
