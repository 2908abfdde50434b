import {
  type QueryClient,
  type QueryKey,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { ApiError } from './client';
import { connection, type Lost } from './connection';
import { session } from './session';
import { type Person, surface } from './surface';

/** How often an open page asks for what is new without a stream that reports it, and with one. */
const pollMs = { alone: 5_000, streaming: 60_000 };
const live = () => {
  if (session.isIdle()) return false as const;
  return session.streaming ? pollMs.streaming : pollMs.alone;
};

/** Changes that come together are read together: an operator or a key may make 600 requests a minute. */
const gatherMs = 2_000;

/** How long until a page shows that it has become idle. */
const idleCheckMs = 1_000;

/**
 * How long the service may be silent before the page asks whether it is there, since a stream whose network is gone stays
 * open; and how often the page asks while it gets no response.
 */
const heartbeatMs = { usual: 10_000, failing: 2_000 };
/** When a question without a response has failed. */
const responseWithinMs = 5_000;

/** How long until a stream that was refused is opened again; one that broke is opened again by the browser. */
const reopenMs = 15_000;

/** Returns since when there is no connection; undefined while there is one. */
export function useLost(): Lost | undefined {
  return useSyncExternalStore(connection.watch, () => connection.lost);
}

/** Asks the service whether it is there, where nothing else has done so lately. Returns what does that when it is due. */
function beginHeartbeat(): () => void {
  let askedAt = Date.now();
  let asking = false;
  return () => {
    const { usual, failing } = heartbeatMs;
    const due = connection.isFailing ? askedAt + failing : Math.max(askedAt, connection.heardAt) + usual;
    if (asking || session.isIdle() || Date.now() < due) return;
    asking = true;
    askedAt = Date.now();
    const signal = AbortSignal.timeout(responseWithinMs);
    // What comes of it is noted where it is sent.
    void surface()
      .readMe(signal)
      .catch(() => {})
      .finally(() => {
        asking = false;
      });
  };
}

/**
 * Reads what is shown again whenever the service reports a change of it, and all of it when the connection is back. Without
 * a stream, pages poll, which also finds out that the session has ended. Returns whether that has paused because the page
 * is not in use.
 */
export function useStream(): boolean {
  const client = useQueryClient();
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    let source: EventSource;
    let openedAt = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let changed = new Set<string>();
    const open = () => {
      openedAt = Date.now();
      source = new EventSource(surface().stream.path);
      source.onopen = () => {
        session.streaming = true;
        connection.heard();
      };
      source.onmessage = ({ data }: MessageEvent<string>) => {
        connection.heard();
        const kind = surface().stream.kindOf(data);
        if (session.isIdle()) session.changedAway(kind);
        changed.add(kind);
        timer ??= setTimeout(() => {
          const kinds = changed;
          timer = undefined;
          changed = new Set();
          if (!session.isIdle()) void refresh(client, { kinds });
        }, gatherMs);
      };
      source.onerror = () => {
        session.streaming = false;
        connection.failed();
        // A stream that was refused ended with its session: what was shown goes.
        if (!session.isIdle() || source.readyState === EventSource.CLOSED) void refresh(client);
      };
    };
    open();
    const beat = beginHeartbeat();
    const check = setInterval(() => {
      setPaused(session.isIdle());
      beat();
      const closed = source.readyState === EventSource.CLOSED;
      if (closed && !session.isIdle() && Date.now() - openedAt > reopenMs) open();
    }, idleCheckMs);
    const unwatch = [
      session.watchReturn(() => {
        setPaused(false);
        void refresh(client);
      }),
      connection.watch(() => {
        if (!connection.lost) void refresh(client);
      }),
    ];
    return () => {
      for (const end of unwatch) end();
      clearInterval(check);
      clearTimeout(timer);
      session.streaming = false;
      source.close();
    };
  }, [client]);
  return paused;
}

/**
 * Reads again what is shown, or what of it shows some kinds of things. Identity data is read again only after a change of
 * one's own: each read is an entry of the audit log, which is a change in turn.
 */
const refresh = (
  client: QueryClient,
  { own = false, kinds }: { own?: boolean; kinds?: Set<string> } = {},
) => {
  const concerned = new Set<unknown>();
  let all = kinds === undefined;
  for (const kind of kinds ?? []) {
    const places = surface().stream.shownIn[kind];
    if (!places) all = true;
    for (const place of places ?? []) concerned.add(place);
  }
  return client.invalidateQueries({
    predicate: ({ queryKey: [place] }) =>
      place !== 'me' && (own || place !== 'identity') && (all || concerned.has(place)),
  });
};

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => surface().readMe(),
  staleTime: 60_000,
});

/** Returns who is signed in, as last read, unless a change of second factors has made that out of date. */
export const readMe = (client: QueryClient) =>
  client.fetchQuery({ ...meQuery, staleTime: Number.POSITIVE_INFINITY });

/** Returns who is signed in, in the words of the application's own API. */
export function usePerson<Me extends Person>(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('This page needs someone who is signed in.');
  // What `readMe` of the surface returned.
  return data as Me;
}

/** Reads one thing and keeps it current while the page is open. */
export function useLive<T>(key: QueryKey, read: () => Promise<T>, enabled = true) {
  return useQuery({ queryKey: key, queryFn: read, refetchInterval: live, enabled });
}

/** Likewise what changes without an event of the stream, a quote for example: read as often as without a stream. */
export function usePolled<T>(key: QueryKey, read: () => Promise<T>) {
  const refetchInterval = () => !session.isIdle() && pollMs.alone;
  return useQuery({ queryKey: key, queryFn: read, refetchInterval });
}

/** Reads a list page by page and keeps what is shown current. */
export function useRows<Page extends { next_cursor: string | null }>(
  key: QueryKey,
  read: (cursor: string | undefined) => Promise<Page>,
) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: live,
  });
}

/** Returns all pages of a list. */
export async function readAll<Page extends { next_cursor: string | null }>(
  read: (cursor: string | undefined) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    pages.push(page);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

/** Returns the first rows of a list that are wanted, at most `most`. Reads as many pages as that takes. */
export async function findRows<Page extends { next_cursor: string | null }, Row>(
  read: (cursor: string | undefined) => Promise<Page>,
  rows: (page: Page) => Row[],
  isWanted: (row: Row) => boolean,
  most: number,
): Promise<Row[]> {
  const found: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    found.push(...rows(page).filter(isWanted));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && found.length < most);
  return found.slice(0, most);
}

/**
 * Runs a change. It has ended with its response, which is reported first; then everything that is shown is read again, also
 * after a refusal, which means that it was outdated.
 */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  done?: (result: Result, input: Input) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result, input) => done?.(result, input),
    onSettled: () => {
      void refresh(client, { own: true });
    },
  });
}

/** Returns whether a failed read is worth another attempt: not when the API understood and refused. */
export const worthRetrying = (failures: number, error: unknown) =>
  failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500);
