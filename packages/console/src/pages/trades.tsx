import { call } from '../api/client';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { Choice, useFilters } from '../ui/filters';
import { List } from '../ui/list';
import { CustomerFilter, PartnerFilter, PartnerName } from '../ui/names';
import { Amount, Badge, ChainId, Id, PageHead, TextLink, Time } from '../ui/parts';

const t = text.trades;
type Trade = Schemas['Trade'];

export function Trades() {
  const filters = useFilters();
  const { partner_id, service_user_id, side, status } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <List
        filters={filters}
        path="trades"
        query={{
          partner_id,
          service_user_id,
          side: side as Trade['side'],
          status: status as Trade['status'],
        }}
        read={(query) => call(api.GET('/operator/v1/trades', { params: { query } }))}
        label={t.title}
        rows={({ trades }) => trades}
        keyOf={({ trade_id }) => trade_id}
        columns={[
          {
            header: t.columns.trade,
            cell: ({ trade_id, submitted_tx_hash }) => (
              <div className="two-lines">
                <Id value={trade_id} />
                <ChainId kind="tx" value={submitted_tx_hash} />
              </div>
            ),
          },
          { header: t.columns.side, cell: ({ side }) => t.side[side] },
          {
            header: t.columns.status,
            cell: ({ status, failure_reason }) => (
              <span title={failure_reason ?? undefined}>
                <Badge tone={status === 'confirmed' ? 'good' : 'bad'}>{t.status[status]}</Badge>
              </span>
            ),
          },
          {
            header: t.columns.gold,
            right: true,
            cell: (one) => <Amount value={one.gold_amount} unit="GOLD" />,
          },
          {
            header: t.columns.usdc,
            right: true,
            cell: (one) => <Amount value={one.usdc_amount} unit="USDC" />,
          },
          {
            header: t.columns.price,
            right: true,
            wide: true,
            cell: (one) => <Amount value={one.price_per_troy_oz} unit="USD" />,
          },
          {
            header: t.columns.user,
            wide: true,
            cell: ({ partner_id, service_user_id: id, user_id }) => (
              <div className="two-lines">
                <span className="name">
                  <TextLink to={`/users/${id}`}>{user_id}</TextLink>
                </span>
                <PartnerName id={partner_id} />
              </div>
            ),
          },
          { header: t.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <Choice filters={filters} name="side" label={t.columns.side} options={t.side} />
        <Choice filters={filters} name="status" label={t.columns.status} options={t.status} />
        <PartnerFilter filters={filters} />
        <CustomerFilter filters={filters} />
      </List>
    </>
  );
}
