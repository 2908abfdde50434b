package karat

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// webhookTolerance is how far the clock of a webhook may differ from this one.
const webhookTolerance = 5 * time.Minute

// VerifyWebhook returns the event of a webhook whose signature by secret (whsec_…) is right (Standard Webhooks 1.0); one of the
// log, or webhook.test of WebhookEndpoints.Test. body is what was received, unchanged. It fails with CodeSignatureInvalid for
// anything else, also for one that is more than 5 minutes old. A webhook may come twice: deduplicate by the ID of its event.
func VerifyWebhook(body []byte, header http.Header, secret string) (*Event, error) {
	id, timestamp, given := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp"), header.Get("Webhook-Signature")
	if id == "" || timestamp == "" || given == "" {
		return nil, invalid("A header of the webhook is missing.", nil)
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil || time.Since(time.Unix(int64(seconds), 0)).Abs() > webhookTolerance {
		return nil, invalid("The webhook is too old, or from the future.", err)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return nil, invalid("The secret must be whsec_ and base64, as its endpoint was created with.", nil)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, one := range strings.Fields(given) {
		version, text, _ := strings.Cut(one, ",")
		signature, err := base64.StdEncoding.DecodeString(text)
		if version != "v1" || err != nil || !hmac.Equal(signature, expected) {
			continue
		}
		event := new(Event)
		if err := decode(body, event); err != nil {
			return nil, invalid("The webhook is no event.", err)
		}
		return event, nil
	}
	return nil, invalid("The signature of the webhook is wrong.", nil)
}

func invalid(message string, cause error) *Error {
	return &Error{Code: CodeSignatureInvalid, Message: message, cause: cause}
}
