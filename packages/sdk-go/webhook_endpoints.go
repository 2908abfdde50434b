package karat

import (
	"context"
	"iter"
	"net/http"
)

// WebhookEndpoints are where events are sent.
type WebhookEndpoints struct{ client *Client }

// Create registers an endpoint; its Secret is shown only here.
func (w *WebhookEndpoints) Create(ctx context.Context, request CreateWebhookEndpointRequest, options ...CallOption) (*WebhookEndpointWithSecret, error) {
	return post[WebhookEndpointWithSecret](ctx, w.client, endpointsPath, request, options)
}

const endpointsPath = "/v1/webhook-endpoints"

// List lists endpoints, newest first.
func (w *WebhookEndpoints) List(ctx context.Context, query ListWebhookEndpointsParams) iter.Seq2[WebhookEndpoint, error] {
	return listOf(ctx, w.client, endpointsPath, query, func(page *ListWebhookEndpointsResult) ([]WebhookEndpoint, string) {
		return page.WebhookEndpoints, page.NextCursor
	})
}

// Get returns an endpoint.
func (w *WebhookEndpoints) Get(ctx context.Context, endpointID string) (*WebhookEndpoint, error) {
	return get[WebhookEndpoint](ctx, w.client, endpointsPath+part(endpointID), nil)
}

// Update changes what the request names; an endpoint is disabled and made active again by Status.
func (w *WebhookEndpoints) Update(ctx context.Context, endpointID string, request ChangeWebhookEndpointRequest, options ...CallOption) (*WebhookEndpoint, error) {
	endpoint := new(WebhookEndpoint)
	if err := w.client.Do(ctx, http.MethodPatch, endpointsPath+part(endpointID), request, endpoint, options...); err != nil {
		return nil, err
	}
	return endpoint, nil
}

// Delete removes an endpoint.
func (w *WebhookEndpoints) Delete(ctx context.Context, endpointID string, options ...CallOption) error {
	return w.client.Do(ctx, http.MethodDelete, endpointsPath+part(endpointID), nil, nil, options...)
}

// RotateSecret returns the endpoint with a new Secret; the one before signs, too, until OverlapHours are over.
func (w *WebhookEndpoints) RotateSecret(ctx context.Context, endpointID string, request RotateWebhookSecretRequest, options ...CallOption) (*WebhookEndpointWithSecret, error) {
	return post[WebhookEndpointWithSecret](ctx, w.client, endpointsPath+part(endpointID)+"/rotate-secret", request, options)
}

// Test sends webhook.test now and returns what came back.
func (w *WebhookEndpoints) Test(ctx context.Context, endpointID string, options ...CallOption) (*TestWebhookEndpointResult, error) {
	return post[TestWebhookEndpointResult](ctx, w.client, endpointsPath+part(endpointID)+"/test", nil, options)
}

// Deliveries lists what was and will be sent, newest first, with every attempt.
func (w *WebhookEndpoints) Deliveries(ctx context.Context, endpointID string, query ListWebhookDeliveriesParams) iter.Seq2[WebhookDelivery, error] {
	path := endpointsPath + part(endpointID) + "/deliveries"
	return listOf(ctx, w.client, path, query, func(page *ListWebhookDeliveriesResult) ([]WebhookDelivery, string) {
		return page.Deliveries, page.NextCursor
	})
}

// Resend sends an event again (EventID), or several (EventIds), or all of a time (From and To); it returns how many.
func (w *WebhookEndpoints) Resend(ctx context.Context, endpointID string, request ResendWebhookEventsRequest, options ...CallOption) (*ResendWebhookEventsResult, error) {
	return post[ResendWebhookEventsResult](ctx, w.client, endpointsPath+part(endpointID)+"/resend", request, options)
}
