import { useState } from 'react';
import { call } from '../api/client';
import { useRows } from '../api/live';
import { fill } from '../text/en';
import { webhooks as t } from '../text/portal/webhooks';
import { DialogButton } from '../ui/form';
import { shorten } from '../ui/format';
import { Badge, PageHead, Panel, Time } from '../ui/parts';
import { ShownOnce } from '../ui/shown-once';
import { Rows } from '../ui/table';
import { api, useMay } from './api';
import { type Endpoint, EndpointForm, type WithSecret } from './endpoint-form';
import { EventTail } from './event-tail';
import { SignatureCheck } from './signature-check';

export function Webhooks() {
  const manages = useMay('manage_webhooks');
  const [made, setMade] = useState<WithSecret>();
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          manages ? (
            <DialogButton label={t.add.action} primary>
              {(close) => <EndpointForm onClose={close} onMade={setMade} />}
            </DialogButton>
          ) : null
        }
      />
      {made ? (
        <ShownOnce
          title={t.secret.title}
          lead={t.secret.lead}
          label={t.secret.label}
          value={made.secret}
          copy={t.secret.copy}
          close={t.secret.done}
          onClose={() => setMade(undefined)}
        />
      ) : null}
      <Panel title={t.endpoints}>
        <Endpoints />
      </Panel>
      <div className="columns even below">
        <EventTail />
        <SignatureCheck />
      </div>
    </>
  );
}

function Endpoints() {
  const list = useRows(['webhook-endpoints', 'list'], (cursor) =>
    call(api.GET('/v1/webhook-endpoints', { params: { query: { cursor, limit: '50' } } })),
  );
  return (
    <Rows
      of={list}
      label={t.endpoints}
      rows={({ webhook_endpoints }) => webhook_endpoints}
      keyOf={({ endpoint_id }) => endpoint_id}
      href={({ endpoint_id }) => `/webhooks/${endpoint_id}`}
      columns={[
        { header: t.columns.url, cell: ({ url }) => shorten(url, 44, 12) },
        { header: t.columns.status, cell: (one) => <EndpointStatus endpoint={one} /> },
        {
          header: t.columns.types,
          cell: ({ types }) => typesOf(types),
        },
        { header: t.columns.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={{ title: t.none, body: t.noneBody }}
    />
  );
}

/** Few types by their names, many by their number. */
function typesOf(types: Endpoint['types']): string {
  if (!types) return t.all;
  return types.length < 3 ? types.join(', ') : fill(t.types, { count: types.length });
}

/** Whether it is sent anything, and whether that arrives. */
export function EndpointStatus({ endpoint: { status, failing_since } }: { endpoint: Endpoint }) {
  if (status === 'active' && failing_since) return <Badge tone="bad">{t.failing}</Badge>;
  return <Badge tone={status === 'active' ? 'good' : 'quiet'}>{t.status[status]}</Badge>;
}
