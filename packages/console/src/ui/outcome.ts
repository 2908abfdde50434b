import { notifications } from '@mantine/notifications';
import type { Schemas } from '../api/client';
import { text } from '../text';
import { notifyDone } from './states';

type Waiting = Schemas['WaitingForApprovalOrSignature'];
/** What is done once others have signed and sent it. */
export type Unsigned = Extract<Waiting, { transaction: string }>;

let showUnsigned: (unsigned: Unsigned) => void = () => {};

/** Has `handler` show what waits for a signature from outside: the response is the only place where the transaction is. */
export function watchUnsigned(handler: (unsigned: Unsigned) => void): void {
  showUnsigned = handler;
}

/** Says what became of a change: done, waiting for a second operator, or waiting for a signature from outside. */
export function notifyOutcome(result: object, done: string): void {
  if ('approval_id' in result && 'expires_at' in result && !('status' in result)) {
    notifications.show({ title: text.common.waits, message: text.common.waitsBody, autoClose: 10_000 });
  } else if ('transaction' in result && 'signers' in result && 'expires_at' in result) {
    showUnsigned(result as Unsigned);
  } else notifyDone(done);
}
