import {
  type QueryClient,
  type QueryKey,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, api, call } from './client';

/** How often an open page asks for what is new while no stream tells it, and while one does. */
const pollMs = { alone: 5_000, streaming: 60_000 };
/** A page that nobody touches stops asking, so that the session ends as the server intends. */
const idleAfterMs = 10 * 60_000;

let touchedAt = Date.now();
for (const event of ['pointerdown', 'pointermove', 'keydown', 'focus']) {
  addEventListener(event, () => {
    touchedAt = Date.now();
  });
}

let streaming = false;

const live = () => {
  if (Date.now() - touchedAt > idleAfterMs) return false as const;
  return streaming ? pollMs.streaming : pollMs.alone;
};

/** Changes that come together are read together. */
const gatherMs = 200;

/**
 * Reads what is shown again whenever the service reports a change. Without a stream, pages poll, which also finds out
 * that the session has ended.
 */
export function useStream(): void {
  const client = useQueryClient();
  useEffect(() => {
    const source = new EventSource('/operator/v1/stream');
    let timer: ReturnType<typeof setTimeout> | undefined;
    source.onopen = () => {
      streaming = true;
    };
    source.onmessage = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void refresh(client);
      }, gatherMs);
    };
    source.onerror = () => {
      streaming = false;
      void refresh(client);
    };
    return () => {
      clearTimeout(timer);
      streaming = false;
      source.close();
    };
  }, [client]);
}

/**
 * Reads again what is shown. Identity data is read again only after a change of one's own: each read is an entry of the
 * audit log, which is a change in turn.
 */
const refresh = (client: QueryClient, own = false) =>
  client.invalidateQueries({
    predicate: ({ queryKey: [kind] }) => kind !== 'me' && (own || kind !== 'identity'),
  });

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => call(api.GET('/operator/v1/me')),
  staleTime: 60_000,
});

/** Returns the operator who is signed in; pages are shown to no one else. */
export function useMe() {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('This page needs a signed-in operator.');
  return data;
}

const permitted: Record<string, string[]> = {
  viewer: [],
  fulfilment: ['fulfil'],
  compliance: ['comply', 'read_kyc'],
  admin: ['fulfil', 'comply', 'read_kyc', 'administer'],
};

export type Permission = 'fulfil' | 'comply' | 'read_kyc' | 'administer';

/** Returns whether the operator's role has a permission. The API decides; pages leave out what it would refuse. */
export function useMay(permission: Permission): boolean {
  return permitted[useMe().role]?.includes(permission) ?? false;
}

/** Reads one thing and keeps it current while the page is open. */
export function useLive<T>(key: QueryKey, read: () => Promise<T>, enabled = true) {
  return useQuery({ queryKey: key, queryFn: read, refetchInterval: live, enabled });
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

/** Runs a change; everything that is shown is read again afterwards, also after a refusal, which means it was outdated. */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  done?: (result: Result, input: Input) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result, input) => done?.(result, input),
    onSettled: () => refresh(client, true),
  });
}

/** Returns whether a failed read is worth another attempt: not when the API understood and refused. */
export const worthRetrying = (failures: number, error: unknown) =>
  failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500);
