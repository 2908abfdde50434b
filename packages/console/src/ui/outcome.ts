import { notifications } from '@mantine/notifications';
import { text } from '../text';
import { fill } from '../text/en';
import { formatTime } from './format';
import { notifyDone } from './states';

/** Says what became of a change: done, waiting for a second operator, or waiting for a signature from outside. */
export function notifyOutcome(result: object, done: string): void {
  if ('approval_id' in result && 'expires_at' in result && !('status' in result)) {
    notifications.show({ title: text.common.waits, message: text.common.waitsBody, autoClose: 10_000 });
  } else if ('transaction' in result && 'signers' in result && 'expires_at' in result) {
    const message = fill(text.common.unsignedBody, { time: formatTime(String(result.expires_at)) });
    notifications.show({ title: text.common.unsigned, message, autoClose: false });
  } else notifyDone(done);
}
