import { Button, CopyButton, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import type { Unsigned } from '../api/session';
import { text } from '../text';
import { fill } from '../text/en';
import { formatUtc } from '../ui/format';
import { ChainId, Facts } from '../ui/parts';

const t = text.unsigned;

/** A transaction that the service could not sign, to be signed and sent by those who can. */
export default function UnsignedTransaction({
  of: { transaction, signers, expires_at },
  onClose,
}: {
  of: Unsigned;
  onClose: () => void;
}) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.title}
      size="lg"
      // It is nowhere else.
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <Stack gap="md">
        <Text>{fill(t.lead, { time: formatUtc(expires_at) })}</Text>
        <Facts
          rows={[
            [
              t.signers,
              <span key="s">
                {signers.map((signer) => (
                  <ChainId key={signer} kind="address" value={signer} />
                ))}
              </span>,
            ],
          ]}
        />
        <Textarea
          label={t.transaction}
          description={t.encoding}
          value={transaction}
          readOnly
          autosize
          minRows={4}
          maxRows={8}
          className="mono-input"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.common.close}
          </Button>
          <CopyButton value={transaction}>
            {({ copied, copy }) => (
              <Button onClick={copy} data-autofocus>
                {copied ? text.common.copied : t.copy}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Stack>
    </Modal>
  );
}
