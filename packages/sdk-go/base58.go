package karat

import "slices"

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// toBase58 returns bytes as addresses are written.
func toBase58(bytes []byte) string {
	// The digits of the number that the bytes are, the last one first.
	var digits []byte
	zeros := 0
	for _, one := range bytes {
		if one == 0 && len(digits) == 0 {
			zeros++
		}
		carry := int(one)
		for at, digit := range digits {
			carry += int(digit) << 8
			digits[at] = byte(carry % 58)
			carry /= 58
		}
		for ; carry > 0; carry /= 58 {
			digits = append(digits, byte(carry%58))
		}
	}
	text := make([]byte, zeros, zeros+len(digits))
	for at := range text {
		text[at] = base58Alphabet[0]
	}
	for _, digit := range slices.Backward(digits) {
		text = append(text, base58Alphabet[digit])
	}
	return string(text)
}
