/** A refusal of an API, in its own words. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(route: string, status: number, body: Record<string, unknown>, retryAfter: string | null) {
    // The tradebook API keeps code and message together in an object.
    const { error } = body;
    const { code, message } =
      typeof error === 'object' && error !== null
        ? (error as { code?: unknown; message?: unknown })
        : { code: error, message: body.message };
    super(`${route} returned ${status} ${String(code)}: ${String(message)}`);
    this.status = status;
    this.code = String(code);
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  }
}

export interface Api {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
}

/** Longer than the 30 s for which the tradebook API waits for the chain. */
const respondsWithinMs = 40_000;

/** Creates a client of the operator API with an operator's bearer token. Throws `ApiRefusal` for anything but 2xx. */
export function createOperatorApi(operatorUrl: string, token: string): Api {
  return createClient(`${operatorUrl}/operator/v1`, { authorization: `Bearer ${token}` });
}

function createClient(baseUrl: string, credentials: Record<string, string>): Api {
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...credentials,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(respondsWithinMs),
    });
    const parsed = (await response.json()) as Record<string, unknown>;
    if (!response.ok) {
      throw new ApiRefusal(`${method} ${path}`, response.status, parsed, response.headers.get('retry-after'));
    }
    return parsed as T;
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
  };
}

/**
 * Creates a client of the tradebook API, which takes every response out of its envelope. Throws as
 * `createOperatorApi` does.
 */
export function createTradebookApi(baseUrl: string, key?: string): Api {
  const api = createClient(baseUrl, key === undefined ? {} : { 'x-api-key': key });
  const dataOf = async <T>(response: Promise<{ data: T }>): Promise<T> => (await response).data;
  return {
    get: (path) => dataOf(api.get(path)),
    post: (path, body) => dataOf(api.post(path, body)),
    put: (path, body) => dataOf(api.put(path, body)),
  };
}
