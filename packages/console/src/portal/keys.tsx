import { Text } from '@mantine/core';
import { call } from '../api/client';
import { useRows } from '../api/live';
import { fill } from '../text/en';
import { keys as t } from '../text/portal/keys';
import { DialogButton } from '../ui/form';
import { Badge, Id, PageHead, Panel, Time } from '../ui/parts';
import { Rows } from '../ui/table';
import { api, type Schemas } from './api';
import { AskButton } from './ask';
import { MintKey } from './mint-key';

type Key = Schemas['ApiKey'];

export function Keys() {
  const list = useRows(['partner', 'api-keys', 'list'], (cursor) =>
    call(api.GET('/v1/partner/api-keys', { params: { query: { cursor, limit: '50' } } })),
  );
  const active = list.data?.pages
    .flatMap(({ api_keys }) => api_keys)
    .filter(({ status }) => status === 'active');
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          <DialogButton label={t.create.action} primary>
            {(close) => <MintKey onClose={close} />}
          </DialogButton>
        }
      />
      <div className="stack">
        <Panel>
          <Rows
            of={list}
            label={t.title}
            rows={({ api_keys }) => api_keys}
            keyOf={({ key_id }) => key_id}
            columns={[
              { header: t.columns.name, cell: ({ key_name }) => <strong>{key_name}</strong> },
              {
                header: t.columns.status,
                cell: ({ status }) => (
                  <Badge tone={status === 'active' ? 'good' : 'quiet'}>{t.status[status]}</Badge>
                ),
              },
              {
                header: t.columns.used,
                cell: ({ last_used_at: at }) => (at ? <Time at={at} /> : t.never),
              },
              { header: t.columns.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
              { header: t.columns.id, wide: true, cell: ({ key_id }) => <Id value={key_id} /> },
              {
                header: t.columns.revoked,
                cell: (key) =>
                  key.status === 'active' ? (
                    <Revoke apiKey={key} isLast={active?.length === 1} />
                  ) : (
                    <Time at={key.revoked_at} />
                  ),
              },
            ]}
            empty={{ title: t.none, body: t.noneBody }}
          />
        </Panel>
        <Panel title={t.leak.title}>
          <ol>
            {t.leak.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <Text mt="md" fw={600}>
            {t.leak.now}
          </Text>
          <Text mt="xs" size="sm" c="dimmed">
            {t.leak.regular}
          </Text>
        </Panel>
      </div>
    </>
  );
}

function Revoke({ apiKey: { key_id, key_name }, isLast }: { apiKey: Key; isLast: boolean }) {
  const { title, body, last } = t.revoke;
  return (
    <AskButton
      size="xs"
      danger
      words={{
        ...t.revoke,
        title: fill(title, { name: key_name }),
        body: isLast ? `${body} ${last}` : body,
      }}
      act={() => call(api.POST('/v1/partner/api-keys/{key_id}/revoke', { params: { path: { key_id } } }))}
    />
  );
}
