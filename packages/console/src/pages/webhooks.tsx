import { call } from '../api/client';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { Choice, useFilters } from '../ui/filters';
import { shorten } from '../ui/format';
import { List } from '../ui/list';
import { PartnerFilter, PartnerLink } from '../ui/names';
import { Badge, PageHead, Time } from '../ui/parts';

const t = text.webhooks;
type Endpoint = Schemas['PartnerWebhookEndpoint'];

export function Webhooks() {
  const filters = useFilters();
  const { partner_id, status } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <List
        filters={filters}
        path="webhook-endpoints"
        unsearched
        query={{ partner_id, status: status as Endpoint['status'] }}
        read={({ q: _, ...query }) => call(api.GET('/operator/v1/webhook-endpoints', { params: { query } }))}
        label={t.title}
        rows={({ webhook_endpoints }) => webhook_endpoints}
        keyOf={({ endpoint_id }) => endpoint_id}
        href={({ endpoint_id }) => `/webhooks/${endpoint_id}`}
        columns={[
          { header: t.columns.url, cell: ({ url }) => shorten(url, 44, 12) },
          { header: t.columns.status, cell: (one) => <EndpointStatus endpoint={one} /> },
          { header: t.columns.types, wide: true, cell: ({ types }) => types?.length ?? t.all },
          {
            header: t.columns.partner,
            cell: ({ partner_id: id }) => <PartnerLink id={id} />,
          },
          { header: t.columns.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <Choice filters={filters} name="status" label={t.columns.status} options={t.status} />
        <PartnerFilter filters={filters} />
      </List>
    </>
  );
}

/** Whether it is sent anything, and whether that arrives. */
export function EndpointStatus({ endpoint: { status, failing_since } }: { endpoint: Endpoint }) {
  if (status === 'active' && failing_since) return <Badge tone="bad">{t.failing}</Badge>;
  return <Badge tone={status === 'active' ? 'good' : 'quiet'}>{t.status[status]}</Badge>;
}
