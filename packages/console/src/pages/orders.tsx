import { call } from '../api/client';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { Choice, useFilters } from '../ui/filters';
import { List } from '../ui/list';
import { PartnerFilter, PartnerLink } from '../ui/names';
import { Amount, Badge, ChainId, Id, PageHead, Time, type Tone } from '../ui/parts';

const t = text.orders;
type Order = Schemas['Order'];

const tones: Record<Order['status'], Tone> = {
  pending_signature: 'warn',
  confirmed: 'good',
  failed: 'bad',
  expired: 'quiet',
};

export function Orders() {
  const filters = useFilters();
  const { partner_id, kind, status } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <List
        filters={filters}
        path="orders"
        query={{ partner_id, kind: kind as Order['kind'], status: status as Order['status'] }}
        read={(query) => call(api.GET('/operator/v1/orders', { params: { query } }))}
        label={t.title}
        rows={({ orders }) => orders}
        keyOf={({ id }) => id}
        columns={[
          {
            header: t.columns.order,
            cell: ({ id, tx_hash }) => (
              <div className="two-lines">
                <Id value={id} />
                {tx_hash ? <ChainId kind="tx" value={tx_hash} /> : null}
              </div>
            ),
          },
          { header: t.columns.kind, cell: ({ kind }) => t.kind[kind] },
          {
            header: t.columns.status,
            cell: ({ status, failure_reason }) => (
              <span title={failure_reason ?? undefined}>
                <Badge tone={tones[status]}>{t.status[status]}</Badge>
              </span>
            ),
          },
          {
            header: t.columns.gold,
            right: true,
            cell: (one) => <Amount value={one.executed_gold ?? one.gold_amount} unit="GOLD" />,
          },
          {
            header: t.columns.usdc,
            right: true,
            cell: (one) => (
              <Amount value={one.executed_usdc ?? one.usdc_amount ?? one.usdc_limit} unit="USDC" />
            ),
          },
          {
            header: t.columns.partner,
            wide: true,
            cell: ({ partner_id }) => <PartnerLink id={partner_id} />,
          },
          { header: t.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <Choice filters={filters} name="kind" label={t.columns.kind} options={t.kind} />
        <Choice filters={filters} name="status" label={t.columns.status} options={t.status} />
        <PartnerFilter filters={filters} />
      </List>
    </>
  );
}
