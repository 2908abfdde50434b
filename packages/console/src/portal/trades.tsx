import { Group, Stack } from '@mantine/core';
import { call } from '../api/client';
import { text } from '../text';
import { records } from '../text/portal/records';
import { DetailPage } from '../ui/detail-page';
import { Choice, TextFilter, useFilters } from '../ui/filters';
import { formatAmount } from '../ui/format';
import { List } from '../ui/list';
import { Amount, ChainId, Facts, Id, PageHead, Panel, Time } from '../ui/parts';
import { api } from './api';
import { Events, ReceiptButton, type Trade, TradeBadge, tradeColumns } from './record-parts';

const t = records.trades;
const words = text.trades;

export function Trades() {
  const filters = useFilters();
  const { side, status, user_id, service_user_id } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <List
        filters={filters}
        path="trades"
        unsearched
        query={{
          side: side as Trade['side'],
          status: status as Trade['status'],
          user_id,
          service_user_id,
        }}
        read={(query) => call(api.GET('/v1/trades', { params: { query } }))}
        label={t.title}
        rows={({ trades }) => trades}
        keyOf={({ trade_id }) => trade_id}
        href={({ trade_id }) => `/trades/${trade_id}`}
        columns={[
          ...tradeColumns,
          {
            header: words.columns.price,
            right: true,
            wide: true,
            cell: ({ price_per_troy_oz }) => <Amount value={price_per_troy_oz} unit="USD" />,
          },
          {
            header: words.columns.trade,
            wide: true,
            cell: ({ trade_id }) => <Id value={trade_id} />,
          },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <Choice filters={filters} name="side" label={words.columns.side} options={words.side} />
        <Choice filters={filters} name="status" label={words.columns.status} options={words.status} />
        <TextFilter filters={filters} name="user_id" label={t.customer} />
      </List>
    </>
  );
}

export function TradeDetail() {
  return (
    <DetailPage
      list="/trades"
      title={t.title}
      kind="trades"
      read={(id) => call(api.GET('/v1/trades/{trade_id}', { params: { path: { trade_id: id } } }))}
    >
      {(one) => <Detail one={one} />}
    </DetailPage>
  );
}

function Detail({ one }: { one: Trade }) {
  const path = `/v1/trades/${one.trade_id}/receipt`;
  return (
    <>
      <PageHead
        title={`${words.side[one.side]}, ${formatAmount(one.gold_amount, 'GOLD', 'headline')} GOLD`}
        lead={
          <Group gap="sm">
            <TradeBadge of={one} />
            <Id value={one.trade_id} head={16} />
          </Group>
        }
        actions={one.status === 'confirmed' ? <ReceiptButton path={path} label={t.receipt} /> : null}
      />
      <div className="columns">
        <Panel title={t.amounts}>
          <Facts
            rows={[
              [words.columns.gold, <Amount key="g" value={one.gold_amount} unit="GOLD" />],
              [words.columns.usdc, <Amount key="u" value={one.usdc_amount} unit="USDC" />],
              [words.columns.price, <Amount key="p" value={one.price_per_troy_oz} unit="USD" />],
              [t.fee, <Amount key="f" value={one.fee_usd} unit="USD" />],
              [t.feeBps, <Amount key="b" value={one.fee_bps} unit="bps" />],
            ]}
          />
        </Panel>
        <Stack gap="lg">
          <Panel title={t.events}>
            <Events id={one.trade_id} place="trades" />
          </Panel>
          <Panel title={t.facts}>
            <Facts
              rows={[
                [t.transaction, <ChainId key="t" kind="tx" value={one.submitted_tx_hash} />],
                [words.columns.created, <Time key="c" at={one.created_at} />],
                [t.updated, <Time key="m" at={one.updated_at} />],
                ...(one.message ? [[t.why, one.message] as [string, string]] : []),
              ]}
            />
          </Panel>
        </Stack>
      </div>
    </>
  );
}
