import { Alert, Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { useLost } from '../api/live';
import { text } from '../text';
import { explainChange, failureTitle } from './states';

type Props = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button that changes something, or leads to what does: off, with the reason, while there is no connection. */
export function ActionButton({ disabled, title, ...rest }: Props) {
  const lost = useLost() !== undefined;
  return (
    <Button {...rest} disabled={disabled === true || lost} title={lost ? text.connection.noActions : title} />
  );
}

/**
 * What a dialog reports of its change: why it failed, for as long as the dialog is open and it is not tried again; and why it
 * cannot be made without a connection.
 */
export function ChangeState({ error, busy }: { error?: unknown; busy: boolean }) {
  const lost = useLost() !== undefined;
  return (
    <>
      {error ? (
        <Alert color="red" variant="light" role="alert" title={failureTitle(error)}>
          {explainChange(error)}
        </Alert>
      ) : null}
      {lost && (busy || !error) ? (
        <Alert color="gray" variant="light" role="status">
          {busy ? text.connection.waiting : text.connection.noActions}
        </Alert>
      ) : null}
    </>
  );
}
