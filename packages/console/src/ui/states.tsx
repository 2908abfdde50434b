import { Button, Skeleton, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { ApiError, Notice } from '../api/client';
import { text } from '../text';
import { fill } from '../text/en';
import { IconAlertTriangle, IconInbox } from './icons';

/** What a person can do about a failed request. */
export function explain(error: unknown): string {
  if (error instanceof Notice) return error.message;
  if (!(error instanceof ApiError))
    return fill(text.failure.other, { message: error instanceof Error ? error.message : '' });
  if (error.status === 0) return text.failure.unreachable;
  if (error.code === 'insufficient_scope') return text.failure.refused;
  if (error.status === 404) return text.failure.missing;
  if (error.status === 429) return text.failure.limited;
  if (error.code === 'transition_not_allowed') return fill(text.failure.outdated, { message: error.message });
  return fill(text.failure.other, { message: error.message });
}

/** What a person can do about a failed change. One whose response got lost may have been made all the same. */
export function explainChange(error: unknown): string {
  return isLost(error) ? text.failure.lost : explain(error);
}

/** Returns whether no response to a change arrived; the second attempt of one may find the first one still in progress. */
const isLost = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.code === 'idempotency_conflict');

/** Returns whether a change may have been made although it failed. */
const mayBeMade = (error: unknown) => isLost(error) || (error instanceof ApiError && error.status >= 500);

/** The head of what is reported of a failed change. */
export const failureTitle = (error: unknown) =>
  mayBeMade(error) ? text.failure.unconfirmed : text.failure.change;

export function Failure({ error, why, retry }: { error: unknown; why?: string; retry?: () => void }) {
  return (
    <div className="state" role="alert">
      <IconAlertTriangle size={28} stroke={1.5} />
      <Title order={2}>{text.failure.title}</Title>
      <Text c="dimmed">{why ?? explain(error)}</Text>
      {retry ? (
        <Button variant="default" onClick={retry}>
          {text.common.retry}
        </Button>
      ) : null}
    </div>
  );
}

export function Empty({ title, body, action }: { title: string; body?: string; action?: ReactNode }) {
  return (
    <div className="state">
      <IconInbox size={28} stroke={1.5} />
      <Title order={2}>{title}</Title>
      {body ? <Text c="dimmed">{body}</Text> : null}
      {action}
    </div>
  );
}

export function Loading({ lines = 6 }: { lines?: number }) {
  return (
    <div role="status" aria-label={text.common.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={18} mt="md" width={`${96 - ((line * 13) % 30)}%`} />
      ))}
    </div>
  );
}

export interface Read<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** Shows what was read: as soon as it is there, and what to do when it cannot be. */
export function Loaded<T>({ of, children }: { of: Read<T>; children: (data: T) => ReactNode }) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <Failure error={of.error} retry={() => void of.refetch()} />;
  return <Loading />;
}

export function notifyDone(message: string) {
  notifications.show({ message, color: 'teal', autoClose: 5_000 });
}

/** Reports what failed where no dialog is open, until it is dismissed. What is reported already is not repeated. */
export function notifyFailure(error: unknown) {
  const message = explainChange(error);
  const failure = {
    id: message,
    title: failureTitle(error),
    message,
    color: 'red',
    autoClose: false,
  } as const;
  notifications.hide(message);
  notifications.show(failure);
}
