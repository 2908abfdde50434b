import { Text } from '@mantine/core';
import { ApiError, call } from '../api/client';
import { useLive, useRows } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { vault as t } from '../text/portal/vault';
import { Choice, commonQuery, DateFilter, FilterBar, useFilters } from '../ui/filters';
import { formatAmount, formatTime } from '../ui/format';
import { Amount, Badge, ChainId, Facts, PageHead, Panel, Time, type Tone } from '../ui/parts';
import { Empty, Loaded } from '../ui/states';
import { Rows } from '../ui/table';
import { api, type Schemas } from './api';

type Vault = Schemas['Vault'];
type Order = Schemas['OrderRecord'];

export function VaultPage() {
  const vault = useLive(['vault'], () => call(api.GET('/v1/vault')));
  const isMissing = vault.error instanceof ApiError && vault.error.code === 'onchain_config_missing';
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <div className="stack">
        {isMissing ? (
          <Panel>
            <Empty title={t.notOnChain} body={t.notOnChainBody} />
          </Panel>
        ) : (
          <Loaded of={vault}>{(found) => <Holdings vault={found} />}</Loaded>
        )}
        <Panel title={t.orders}>
          <Orders />
        </Panel>
      </div>
    </>
  );
}

function Holdings({ vault }: { vault: Vault }) {
  return (
    <div className="columns even">
      <Panel
        title={t.holds}
        actions={<Badge tone={vault.status === 'active' ? 'good' : 'bad'}>{t.status[vault.status]}</Badge>}
      >
        <dl className="holdings">
          <div>
            <dt>{t.gold}</dt>
            <dd>
              <Amount value={vault.gold} unit="GOLD" headline />
            </dd>
          </div>
          <div>
            <dt>{t.usdc}</dt>
            <dd>
              <Amount value={vault.usdc} unit="USDC" headline />
            </dd>
          </div>
        </dl>
        <Reserves />
      </Panel>
      <Panel title={t.authorities}>
        <Facts
          rows={[
            [
              t.executive,
              <span key="e" className="addresses">
                {vault.executive_authorities.map((one) => (
                  <ChainId key={one} kind="address" value={one} />
                ))}
              </span>,
            ],
            [t.update, <ChainId key="u" kind="address" value={vault.update_authority} />],
            [t.withdrawal, <ChainId key="w" kind="address" value={vault.withdrawal_authority} />],
            [t.address, <ChainId key="a" kind="address" value={vault.address} />],
            [t.goldAccount, <ChainId key="g" kind="address" value={vault.gold_account} />],
            [t.usdcAccount, <ChainId key="c" kind="address" value={vault.usdc_account} />],
          ]}
        />
      </Panel>
    </div>
  );
}

/** Whether the tokens of the vault are backed, as all are. */
function Reserves() {
  const reserves = useLive(['reserves'], () => call(api.GET('/v1/reserves/live')));
  if (!reserves.data) return null;
  const { covered, supply, bars_gold, at } = reserves.data;
  const words = {
    tokens: formatAmount(supply, 'GOLD'),
    gold: formatAmount(bars_gold, 'oz'),
    at: formatTime(at),
  };
  return (
    <section aria-label={t.reserves}>
      <Badge tone={covered ? 'good' : 'bad'}>{covered ? t.covered : t.uncovered}</Badge>
      <Text size="sm" c="dimmed" mt="xs">
        {fill(t.reservesBody, words)}{' '}
        <a href="/v1/reserves" target="_blank" rel="noreferrer" className="text-link">
          {t.reservesLink}
        </a>
      </Text>
    </section>
  );
}

const tones: Record<Order['status'], Tone> = {
  pending_signature: 'calm',
  confirmed: 'good',
  failed: 'bad',
  expired: 'quiet',
};

function Orders() {
  const filters = useFilters();
  const { kind, status } = filters.values;
  const { created_from, created_to } = commonQuery(filters.values);
  const query = {
    kind: kind as Order['kind'],
    status: status as Order['status'],
    created_from,
    created_to,
  };
  const list = useRows(['orders', 'list', query], (cursor) =>
    call(api.GET('/v1/orders', { params: { query: { ...query, cursor, limit: '50' } } })),
  );
  return (
    <>
      <FilterBar filters={filters}>
        <Choice filters={filters} name="kind" label={t.columns.kind} options={t.kinds} />
        <Choice filters={filters} name="status" label={t.columns.status} options={t.statuses} />
        <DateFilter filters={filters} name="created_from" label={text.common.from} />
        <DateFilter filters={filters} name="created_to" label={text.common.to} />
      </FilterBar>
      <Rows
        of={list}
        label={t.orders}
        rows={({ orders }) => orders}
        keyOf={({ id }) => id}
        columns={[
          { header: t.columns.kind, cell: ({ kind: one }) => <strong>{t.kinds[one]}</strong> },
          {
            header: t.columns.status,
            cell: ({ status: now, failure_reason }) => (
              <>
                <Badge tone={tones[now]}>{t.statuses[now]}</Badge>
                {failure_reason ? (
                  <Text size="sm" c="dimmed">
                    {failure_reason}
                  </Text>
                ) : null}
              </>
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
            cell: (one) => <Amount value={one.executed_usdc ?? one.usdc_amount} unit="USDC" />,
          },
          {
            header: t.columns.fee,
            right: true,
            wide: true,
            cell: ({ fee_usdc }) => <Amount value={fee_usdc} unit="USDC" />,
          },
          { header: t.columns.signer, cell: ({ signer }) => <ChainId kind="address" value={signer} /> },
          { header: t.columns.tx, cell: ({ tx_hash }) => <ChainId kind="tx" value={tx_hash} /> },
          { header: t.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      />
    </>
  );
}
