package karat

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	defaultSilence            = 40 * time.Second
	firstPause, longestPause  = 500 * time.Millisecond, 15 * time.Second
	firstTries                = 4
	lastLook                  = 20 * time.Millisecond
	longestLine               = 16 << 20
	eventStream               = "text/event-stream"
	eventsPath, streamingPath = "/v1/events", "/v1/events/stream"
)

// Events are what happened to the partner's objects.
type Events struct{ client *Client }

// StreamOptions are which events a stream has, and from where on.
type StreamOptions struct {
	// After is the ID of the event behind which it begins, "start" for all. Default: with what comes next.
	After string
	// Types are those that it has. Default: all.
	Types []EventType
	// Silence is after how long without a sign the connection counts as lost. Default: 40 s; the API sends one every 15 s.
	Silence time.Duration
}

// List lists events, oldest first.
func (e *Events) List(ctx context.Context, query ListEventsParams) iter.Seq2[Event, error] {
	values := valuesOf(query)
	return func(yield func(Event, error) bool) {
		for position := query.After; ; {
			page, err := get[ListEventsResult](ctx, e.client, eventsPath, withValue(values, "after", position))
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, event := range page.Events {
				if !yield(event, nil) {
					return
				}
				position = event.ID
			}
			if !page.HasMore {
				return
			}
		}
	}
}

// Stream yields events as they happen, each once and in order, until the context ends or the reader stops: a connection that is
// lost, or silent for too long, is made again behind the last event. The last that it yields is the error of a stream that is
// refused: without a valid key, or one too many of a key or partner.
func (e *Events) Stream(ctx context.Context, options StreamOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := &stream{transport: e.client.transport, options: options, last: options.After, yield: yield}
		if s.options.Silence <= 0 {
			s.options.Silence = defaultSilence
		}
		for ctx.Err() == nil {
			wait := min(longestPause, firstPause<<min(s.tried, 10))
			s.tried++
			err := s.connect(ctx)
			if ctx.Err() != nil || s.stopped {
				return
			}
			var failure *Error
			if errors.As(err, &failure) {
				// One that was lost may still be counted among those of the key.
				isPassing := failure.Status == 0 || failure.Status >= 500 || (s.begun && failure.Status == http.StatusTooManyRequests)
				if !isPassing || (!s.begun && s.tried >= firstTries) {
					yield(Event{}, err)
					return
				}
				if failure.RetryAfter > 0 {
					wait = failure.RetryAfter
				}
			}
			if pause(ctx, wait) != nil {
				return
			}
		}
	}
}

// stream is the state of one over all its connections.
type stream struct {
	transport *transport
	options   StreamOptions
	yield     func(Event, error) bool
	last      string
	sequence  int64
	tried     int
	// begun: the API has said where the stream begins, which is the first that it sends.
	begun   bool
	stopped bool
}

// connect reads one connection to its end, and returns nothing where it ended after its beginning.
func (s *stream) connect(ctx context.Context) error {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := newSilence(s.options.Silence, cancel)
	defer silence.suspend()
	body, err := s.open(limited)
	if err != nil {
		return err
	}
	defer body.Close()
	lines := bufio.NewScanner(&heard{body, silence})
	lines.Buffer(nil, longestLine)
	var id, data string
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "id":
			id = value
		case field == "data":
			data = value
		case lines.Text() == "":
			if err := s.take(id, data, silence); err != nil {
				return err
			}
			if s.stopped {
				return nil
			}
			id, data = "", ""
		}
	}
	if !s.begun {
		return &Error{Code: CodeNetworkError, Message: "The event stream ended before it sent its starting position.", cause: lines.Err()}
	}
	return nil
}

// take yields a message unless it was before.
func (s *stream) take(id, data string, silence *silence) error {
	if id != "" {
		s.begun = true
	}
	if s.begun {
		s.tried = 0
	}
	var event Event
	if data != "" {
		if err := decode([]byte(data), &event); err != nil {
			return &Error{Code: CodeNetworkError, Message: "The event stream sent what is no event.", cause: err}
		}
	}
	if event.Sequence > s.sequence {
		s.sequence = event.Sequence
		silence.suspend()
		s.stopped = !s.yield(event, nil)
		silence.broken()
	}
	if id != "" {
		s.last = id
	}
	return nil
}

func (s *stream) open(ctx context.Context) (io.ReadCloser, error) {
	header := http.Header{"Accept": {eventStream}}
	if s.last != "" {
		header.Set("Last-Event-Id", s.last)
	}
	query := ""
	if len(s.options.Types) > 0 {
		query = "?" + url.Values{"types": {joined(s.options.Types)}}.Encode()
	}
	response, err := s.transport.open(ctx, http.MethodGet, streamingPath+query, nil, header)
	if err != nil {
		return nil, &Error{Code: CodeNetworkError, Message: "The API at " + s.transport.baseURL + " did not respond.", cause: err}
	}
	if response.StatusCode == http.StatusOK && strings.HasPrefix(response.Header.Get("Content-Type"), eventStream) {
		return response.Body, nil
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		content = nil
	}
	return nil, (&reply{status: response.StatusCode, header: response.Header, body: content}).asError()
}

func joined(types []EventType) string {
	names := make([]string, len(types))
	for at, one := range types {
		names[at] = string(one)
	}
	return strings.Join(names, ",")
}

// silence ends a connection after a time without a sign of life.
type silence struct {
	limit time.Duration
	end   func()

	mutex sync.Mutex
	timer *time.Timer
	// armed counts what the timer was set to, so that one that has just run out does nothing after a sign of life.
	armed int
}

func newSilence(limit time.Duration, end func()) *silence {
	s := &silence{limit: limit, end: end}
	s.broken()
	return s
}

func (s *silence) broken() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	// What has arrived by then is read first: a process that stood still would otherwise take that for the server's silence.
	s.arm(s.limit, func() { s.arm(lastLook, s.end) })
}

// suspend: while the reader is busy, nothing is read.
func (s *silence) suspend() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.armed++
	s.timer.Stop()
}

// arm sets the timer, with the mutex held, as the action has it.
func (s *silence) arm(after time.Duration, action func()) {
	s.armed++
	own := s.armed
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(after, func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if own == s.armed {
			action()
		}
	})
}

// heard is a body whose every byte is a sign of life, also of comments.
type heard struct {
	io.Reader
	silence *silence
}

func (h *heard) Read(into []byte) (int, error) {
	count, err := h.Reader.Read(into)
	if count > 0 {
		h.silence.broken()
	}
	return count, err
}

// Decode reads what the event is about into a value of its type: a *Trade for one whose Data.ObjectType is trade, a
// *RedemptionWithFigures for redemption, an *Operation for operation, a *UserWithKyc for user.
func (e *Event) Decode(into any) error {
	if err := decode(e.Data.Object, into); err != nil {
		return &Error{Code: CodeUnexpectedResponse, Message: "The object of the event is of another type.", cause: err}
	}
	return nil
}
