import { type CallOptions, init, listOf, Resource, taken } from './client.js';
import type { QueryOf, Schemas } from './types.js';

export class Users extends Resource {
  create(body: Schemas['CreateUserRequest'], options?: CallOptions) {
    return taken(this.api.POST('/v1/users', { body, ...init(options) }));
  }

  get(service_user_id: string, options?: CallOptions) {
    const params = { path: { service_user_id } };
    return taken(this.api.GET('/v1/users/{service_user_id}', { params, ...init(options) }));
  }

  /** Returns what the wallet of a user holds on chain. */
  balances(service_user_id: string, options?: CallOptions) {
    const params = { path: { service_user_id } };
    return taken(this.api.GET('/v1/users/{service_user_id}/balances', { params, ...init(options) }));
  }

  list(query: QueryOf<'listUsers'> = {}, options?: CallOptions) {
    return listOf(
      (cursor) =>
        taken(
          this.api.GET('/v1/users', {
            params: { query: { ...query, ...cursor } as never },
            ...init(options),
          }),
        ),
      (page) => page.users,
    );
  }
}
