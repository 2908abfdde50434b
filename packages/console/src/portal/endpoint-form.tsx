import { Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, call } from '../api/client';
import { useChange } from '../api/live';
import { text } from '../text';
import { webhooks as t } from '../text/portal/webhooks';
import { ActionButton, ChangeState } from '../ui/action';
import { notifyDone } from '../ui/states';
import { api, type Schemas } from './api';

export type Endpoint = Schemas['WebhookEndpoint'];
export type WithSecret = Schemas['WebhookEndpointWithSecret'];
export type EventType = NonNullable<Endpoint['types']>[number];

/** Every type of events: one that is missing here does not compile. */
const known: Record<EventType, true> = {
  'user.created': true,
  'user.suspended': true,
  'user.resumed': true,
  'user.kyc_level_changed': true,
  'api_key.created': true,
  'api_key.revoked': true,
  'member.invited': true,
  'trade.submitted': true,
  'trade.confirmed': true,
  'trade.failed': true,
  'trade.expired': true,
  'trade.reverted': true,
  'redemption.submitted': true,
  'redemption.preparing': true,
  'redemption.ready': true,
  'redemption.collected': true,
  'redemption.cancellation_requested': true,
  'redemption.cancelled': true,
  'redemption.failed': true,
  'redemption.refunded': true,
  'redemption.burned': true,
  'purchase.confirmed': true,
  'purchase.failed': true,
  'purchase.expired': true,
  'sale.confirmed': true,
  'sale.failed': true,
  'sale.expired': true,
  'withdrawal.confirmed': true,
  'withdrawal.failed': true,
  'withdrawal.expired': true,
  'executives.changed': true,
  'partner.suspended': true,
  'partner.resumed': true,
  'webhook_endpoint.disabled': true,
};
export const eventTypes = Object.keys(known) as EventType[];

/** What an endpoint is: where its events go, and which. */
export function EndpointForm({
  endpoint,
  onClose,
  onMade,
}: {
  /** The one that is changed; a new one without it. */
  endpoint?: Endpoint;
  onClose: () => void;
  onMade?: (made: WithSecret) => void;
}) {
  const words = endpoint ? t.change : t.add;
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [types, setTypes] = useState<string[]>(endpoint?.types ?? []);
  const [note, setNote] = useState(endpoint?.description ?? '');
  const change = useChange(
    async () => {
      const body = {
        url: url.trim(),
        types: types.length > 0 ? (types as EventType[]) : null,
        description: note.trim() || null,
      };
      if (!endpoint) return { made: await call(api.POST('/v1/webhook-endpoints', { body })) };
      const params = { path: { endpoint_id: endpoint.endpoint_id } };
      await call(api.PATCH('/v1/webhook-endpoints/{endpoint_id}', { params, body }));
      return { made: undefined };
    },
    ({ made }) => {
      onClose();
      notifyDone(words.done);
      if (made) onMade?.(made);
    },
  );
  const { error } = change;
  const faulty = error instanceof ApiError ? error.field : undefined;
  const errorOf = (name: string) => (faulty === name ? error?.message : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.action}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={t.add.url}
            description={t.add.urlHint}
            type="url"
            required
            withAsterisk={false}
            data-autofocus
            value={url}
            error={errorOf('url')}
            onChange={({ currentTarget: { value } }) => setUrl(value)}
          />
          <MultiSelect
            label={t.add.types}
            description={t.add.typesHint}
            placeholder={types.length === 0 ? t.all : undefined}
            data={eventTypes}
            searchable
            clearable
            value={types}
            error={errorOf('types')}
            onChange={setTypes}
          />
          <TextInput
            label={t.add.description}
            description={t.add.descriptionHint}
            maxLength={500}
            value={note}
            error={errorOf('description')}
            onChange={({ currentTarget: { value } }) => setNote(value)}
          />
          <ChangeState
            error={faulty && ['url', 'types', 'description'].includes(faulty) ? undefined : error}
            busy={change.isPending}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.common.cancel}
            </Button>
            <ActionButton type="submit" loading={change.isPending}>
              {words.submit}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
