import { Button } from '@mantine/core';
import { useState } from 'react';
import { api, call, type Schemas } from '../api/client';
import { useRows } from '../api/live';
import { text } from '../text';
import { readAll, saveCsv } from '../ui/csv';
import { Choice, FilterBar, TextFilter, useFilters } from '../ui/filters';
import { Amount, Badge, Id, PageHead, Time } from '../ui/parts';
import { notifyFailure } from '../ui/states';
import { Rows } from '../ui/table';

const t = text.trades;
type Trade = Schemas['Trade'];

/** Saves every row that matches the filters. */
export function ExportButton({ name, read }: { name: string; read: () => Promise<object[]> }) {
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    await read()
      .then((rows) => saveCsv(name, rows))
      .catch(notifyFailure);
    setBusy(false);
  };
  return (
    <Button variant="default" loading={busy} onClick={() => void run()}>
      {text.common.csv}
    </Button>
  );
}

export function Trades() {
  const filters = useFilters();
  const { partner_id, service_user_id, side, status } = filters.values;
  const read = (cursor: string | undefined, limit = '50') =>
    call(
      api.GET('/operator/v1/trades', {
        params: {
          query: {
            partner_id,
            service_user_id,
            side: side as Trade['side'],
            status: status as Trade['status'],
            cursor,
            limit,
          },
        },
      }),
    );
  const list = useRows(['trades', filters.values], read);
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          <ExportButton
            name="trades"
            read={() =>
              readAll(
                (cursor) => read(cursor, '100'),
                ({ trades }) => trades,
              )
            }
          />
        }
      />
      <FilterBar filters={filters}>
        <Choice filters={filters} name="side" label={t.columns.side} options={t.side} />
        <Choice filters={filters} name="status" label={t.columns.status} options={t.status} />
        <TextFilter filters={filters} name="service_user_id" label={t.columns.user} width={260} />
        <TextFilter filters={filters} name="partner_id" label={t.columns.partner} width={260} />
      </FilterBar>
      <Rows
        label={t.title}
        of={list}
        rows={({ trades }) => trades}
        keyOf={({ trade_id }) => trade_id}
        columns={[
          { header: t.columns.trade, cell: ({ trade_id }) => <Id value={trade_id} head={12} /> },
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
          { header: t.columns.transaction, wide: true, cell: (one) => <Id value={one.submitted_tx_hash} /> },
          { header: t.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      />
    </>
  );
}
