/** A refusal of the partner API, in its own words. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(route: string, status: number, body: Record<string, unknown>, retryAfter: string | null) {
    super(`${route} answered ${status} ${String(body.error)}: ${String(body.message)}`);
    this.status = status;
    this.code = String(body.error);
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  }
}

export interface Api {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
}

/** A client of the partner API; `key` is sent with every request when given. Throws `ApiRefusal` for anything but 2xx. */
export function createApi(baseUrl: string, key?: string): Api {
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) {
      throw new ApiRefusal(`${method} ${path}`, response.status, answer, response.headers.get('retry-after'));
    }
    return answer as T;
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
  };
}
