import { notifications } from '@mantine/notifications';
import { session, type Unsigned } from '../api/session';
import { text } from '../text';
import { notifyDone } from './states';

/** Reports what became of a change: done, waiting for a second operator, or waiting for a signature from outside. */
export function notifyOutcome(result: object, done: string): void {
  if ('approval_id' in result && 'expires_at' in result && !('status' in result)) {
    notifications.show({ title: text.common.waits, message: text.common.waitsBody, autoClose: 10_000 });
  } else if ('transaction' in result && 'signers' in result && 'expires_at' in result) {
    session.showUnsigned(result as Unsigned);
  } else notifyDone(done);
}
