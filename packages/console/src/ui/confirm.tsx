import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { text } from '../text';
import { ActionButton, ChangeState } from './action';

interface Props {
  opened: boolean;
  question: string;
  /** What will happen, in words. */
  body: ReactNode;
  action: string;
  danger?: boolean | undefined;
  /** What leaves everything as it is, where “Cancel” could be taken for the action itself. */
  keep?: string | undefined;
  busy: boolean;
  /** Why it could not be done. The dialog stays open with it until it is closed. */
  error?: unknown;
  /** Whether a text is taken: `note` may be left out, `reason` may not. */
  asks?: 'note' | 'reason' | undefined;
  /** Further fields. */
  children?: ReactNode;
  disabled?: boolean | undefined;
  onClose: () => void;
  onConfirm: (words: string) => void;
}

/** Asks before something that cannot be undone is done, and says what that is. */
export function Confirm({ opened, onClose, ...rest }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={rest.question}
      size="md"
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <ConfirmForm onClose={onClose} {...rest} />
    </Modal>
  );
}

function ConfirmForm({
  body,
  action,
  danger,
  keep,
  busy,
  error,
  asks,
  children,
  disabled,
  onClose,
  onConfirm,
}: Omit<Props, 'opened' | 'question'>) {
  const [words, setWords] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm(words.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text>{body}</Text>
        {children}
        {asks ? (
          <Textarea
            label={asks === 'note' ? text.common.note : text.common.reason}
            description={asks === 'note' ? text.common.noteHint : text.common.reasonHint}
            value={words}
            required={asks === 'reason'}
            maxLength={1_000}
            autosize
            minRows={2}
            data-autofocus={asks === 'reason' || undefined}
            onChange={({ currentTarget: { value } }) => setWords(value)}
          />
        ) : null}
        <ChangeState error={error} busy={busy} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {keep ?? text.common.cancel}
          </Button>
          <ActionButton
            type="submit"
            loading={busy}
            color={danger ? 'red.9' : undefined}
            disabled={disabled === true || (asks === 'reason' && words.trim() === '')}
          >
            {action}
          </ActionButton>
        </Group>
      </Stack>
    </form>
  );
}
