package karat

import (
	"context"
	"iter"
)

// Users are the partner's customers.
type Users struct{ client *Client }

// Create registers a customer whose identity the partner has checked. A wallet can belong to one customer only.
func (u *Users) Create(ctx context.Context, request CreateUserRequest, options ...CallOption) (*CreatedUser, error) {
	return post[CreatedUser](ctx, u.client, "/v1/users", request, options)
}

// Get returns a customer.
func (u *Users) Get(ctx context.Context, serviceUserID string) (*UserWithKyc, error) {
	return get[UserWithKyc](ctx, u.client, "/v1/users"+part(serviceUserID), nil)
}

// Balances returns what the wallet of a customer holds on chain.
func (u *Users) Balances(ctx context.Context, serviceUserID string) (*Balances, error) {
	return get[Balances](ctx, u.client, "/v1/users"+part(serviceUserID)+"/balances", nil)
}

// List lists customers, newest first.
func (u *Users) List(ctx context.Context, query ListUsersParams) iter.Seq2[User, error] {
	return listOf(ctx, u.client, "/v1/users", query, func(page *ListUsersResult) ([]User, string) {
		return page.Users, page.NextCursor
	})
}
