package karat

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Decimal is an exact decimal number, such as an amount of USDC or GOLD: it is written to JSON and read from it as it is, and
// never passes a float. Equal numbers are equal by ==. The zero value is no number at all, which is sent as none and is what
// null is read as: the number 0 is MustDecimal("0").
type Decimal struct {
	// Without zeros that change nothing; empty where there is no number.
	text string
}

var (
	decimalPattern = regexp.MustCompile(`^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$`)
	ten            = big.NewInt(10)
)

// ParseDecimal reads a number, such as "0.5".
func ParseDecimal(text string) (Decimal, error) {
	parts := decimalPattern.FindStringSubmatch(text)
	if parts == nil {
		return Decimal{}, fmt.Errorf("karat: %.40q is no decimal number", text)
	}
	digits, decimals := parts[2]+parts[3], len(parts[3])
	if parts[4] != "" {
		exponent, err := strconv.Atoi(parts[4])
		if err != nil {
			return Decimal{}, err
		}
		decimals -= exponent
	}
	if decimals < 0 {
		digits, decimals = digits+strings.Repeat("0", -decimals), 0
	}
	return decimalOf(parts[1] == "-", digits, decimals), nil
}

// MustDecimal is ParseDecimal for constants: it panics where that fails.
func MustDecimal(text string) Decimal {
	number, err := ParseDecimal(text)
	if err != nil {
		panic(err)
	}
	return number
}

// DecimalFromUnits returns the number that so many of its smallest units are: a token of USDC or GOLD has a million of them, 6
// decimals.
func DecimalFromUnits(units *big.Int, decimals int) Decimal {
	return decimalOf(units.Sign() < 0, new(big.Int).Abs(units).String(), decimals)
}

func decimalOf(isNegative bool, digits string, decimals int) Decimal {
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - decimals
	whole := strings.TrimLeft(digits[:point], "0")
	if whole == "" {
		whole = "0"
	}
	text := whole
	if fraction := strings.TrimRight(digits[point:], "0"); fraction != "" {
		text += "." + fraction
	}
	if isNegative && text != "0" {
		text = "-" + text
	}
	return Decimal{text}
}

// IsSet returns whether there is a number.
func (d Decimal) IsSet() bool { return d.text != "" }

// String returns the number without an exponent and without zeros at its end; nothing where there is no number.
func (d Decimal) String() string { return d.text }

// decimals returns how many the number has.
func (d Decimal) decimals() int {
	_, fraction, _ := strings.Cut(d.text, ".")
	return len(fraction)
}

// Units returns how many of its smallest units the number is, and whether it has no more decimals than that: 0.5 has 500,000
// at 6 decimals. No number has none.
func (d Decimal) Units(decimals int) (units *big.Int, isExact bool) {
	own := d.decimals()
	units, isNumber := new(big.Int).SetString(strings.Replace(d.text, ".", "", 1), 10)
	if !isNumber {
		return new(big.Int), false
	}
	if own <= decimals {
		return units.Mul(units, new(big.Int).Exp(ten, big.NewInt(int64(decimals-own)), nil)), true
	}
	return units.Quo(units, new(big.Int).Exp(ten, big.NewInt(int64(own-decimals)), nil)), false
}

// Cmp returns -1, 0 or 1 as the number is less than, equal to or more than another. No number counts as 0.
func (d Decimal) Cmp(other Decimal) int {
	left, right, _ := aligned(d, other)
	return left.Cmp(right)
}

// Add returns the sum. No number counts as 0.
func (d Decimal) Add(other Decimal) Decimal {
	left, right, decimals := aligned(d, other)
	return DecimalFromUnits(left.Add(left, right), decimals)
}

// Sub returns the difference. No number counts as 0.
func (d Decimal) Sub(other Decimal) Decimal {
	left, right, decimals := aligned(d, other)
	return DecimalFromUnits(left.Sub(left, right), decimals)
}

func aligned(left, right Decimal) (leftUnits, rightUnits *big.Int, decimals int) {
	decimals = max(left.decimals(), right.decimals())
	leftUnits, _ = left.Units(decimals)
	rightUnits, _ = right.Units(decimals)
	return leftUnits, rightUnits, decimals
}

// MarshalJSON writes a number, or null.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if !d.IsSet() {
		return []byte("null"), nil
	}
	return []byte(d.text), nil
}

// UnmarshalJSON reads a number, or null.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*d = Decimal{}
		return nil
	}
	number, err := ParseDecimal(string(text))
	if err != nil {
		return err
	}
	*d = number
	return nil
}
