import { Button, CopyButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { text } from '../text';

/** Shows a secret that cannot be shown again, with a button to copy it; only the button below closes it. */
export function ShownOnce({
  title,
  lead,
  label,
  value,
  copy,
  close,
  onClose,
}: {
  title: string;
  lead: ReactNode;
  label: string;
  value: string;
  /** What copies it, and what closes the dialog. */
  copy: string;
  close: string;
  onClose: () => void;
}) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text>{lead}</Text>
        <TextInput
          label={label}
          value={value}
          readOnly
          classNames={{ input: 'mono' }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Group justify="flex-end">
          <CopyButton value={value}>
            {({ copied, copy: copyIt }) => (
              <Button variant="default" onClick={copyIt}>
                {copied ? text.common.copied : copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{close}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
