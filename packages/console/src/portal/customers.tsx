import { Group, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ApiError, call } from '../api/client';
import { useLive } from '../api/live';
import { text } from '../text';
import { records } from '../text/portal/records';
import { Choice, TextFilter, useFilters } from '../ui/filters';
import { countryName, humanize } from '../ui/format';
import { List } from '../ui/list';
import { Amount, Back, Badge, ChainId, Facts, Id, PageHead, Panel, TextLink, Time } from '../ui/parts';
import { Loaded } from '../ui/states';
import { Table } from '../ui/table';
import { api, type Schemas } from './api';
import { redemptionColumns, tradeColumns } from './record-parts';

const t = records.customers;
type User = Schemas['User'];

const levelOf = ({ kyc_level }: User) => (kyc_level ? humanize(kyc_level) : text.common.none);

function UserBadge({ status }: { status: User['status'] }) {
  return <Badge tone={status === 'active' ? 'good' : 'bad'}>{text.users.status[status]}</Badge>;
}

export function Customers() {
  const filters = useFilters();
  const { status, user_id } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <List
        filters={filters}
        path="users"
        unsearched
        query={{ status: status as User['status'], user_id }}
        read={(query) => call(api.GET('/v1/users', { params: { query } }))}
        label={t.title}
        rows={({ users }) => users}
        keyOf={({ service_user_id }) => service_user_id}
        href={({ service_user_id }) => `/customers/${service_user_id}`}
        columns={[
          { header: t.customer, cell: ({ user_id }) => <span className="name">{user_id}</span> },
          { header: text.users.columns.status, cell: ({ status }) => <UserBadge status={status} /> },
          { header: t.level, cell: levelOf },
          { header: t.country, cell: ({ country }) => countryName(country) },
          {
            header: t.wallet,
            wide: true,
            cell: ({ wallet_address }) => <ChainId kind="address" value={wallet_address} />,
          },
          { header: t.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <Choice
          filters={filters}
          name="status"
          label={text.users.columns.status}
          options={text.users.status}
        />
        <TextFilter filters={filters} name="user_id" label={t.customer} />
      </List>
    </>
  );
}

/** Reads a customer as the list shows it: the record of a single one has the identity. */
async function readUser(id: string): Promise<User> {
  const { users } = await call(api.GET('/v1/users', { params: { query: { service_user_id: id } } }));
  const [user] = users;
  if (!user) throw new ApiError(404, { error: 'user_not_found' });
  return user;
}

export function CustomerDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const user = useLive(['users', id], () => readUser(id));
  return (
    <>
      <Back to="/customers">{t.title}</Back>
      <Loaded of={user}>{(one) => <Detail one={one} />}</Loaded>
    </>
  );
}

function Detail({ one }: { one: User }) {
  const id = one.service_user_id;
  return (
    <>
      <PageHead
        title={one.user_id}
        lead={
          <Group gap="sm">
            <UserBadge status={one.status} />
            <Id value={id} head={16} />
          </Group>
        }
      />
      <div className="columns">
        <Stack gap="lg">
          <Trades id={id} />
          <Redemptions id={id} />
        </Stack>
        <Stack gap="lg">
          <Panel title={t.facts}>
            <Facts
              rows={[
                [t.level, levelOf(one)],
                [t.country, countryName(one.country)],
                [t.wallet, <ChainId key="w" kind="address" value={one.wallet_address} />],
                [t.created, <Time key="c" at={one.created_at} />],
              ]}
            />
          </Panel>
          <Balances id={id} />
        </Stack>
      </div>
    </>
  );
}

const shown = '5';

function Trades({ id }: { id: string }) {
  const query = { service_user_id: id, limit: shown };
  const latest = useLive(['trades', 'of', id], () => call(api.GET('/v1/trades', { params: { query } })));
  return (
    <Panel
      title={t.trades}
      actions={
        <TextLink to="/trades" search={{ service_user_id: id }}>
          {text.common.all}
        </TextLink>
      }
    >
      <Loaded of={latest}>
        {({ trades }) =>
          trades.length === 0 ? (
            <Text c="dimmed">{t.noTrades}</Text>
          ) : (
            <Table
              label={t.trades}
              rows={trades}
              columns={tradeColumns}
              keyOf={({ trade_id }) => trade_id}
              href={({ trade_id }) => `/trades/${trade_id}`}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Redemptions({ id }: { id: string }) {
  const query = { service_user_id: id, limit: shown };
  const latest = useLive(['redemptions', 'of', id], () =>
    call(api.GET('/v1/redemptions', { params: { query } })),
  );
  return (
    <Panel
      title={t.redemptions}
      actions={
        <TextLink to="/redemptions" search={{ service_user_id: id }}>
          {text.common.all}
        </TextLink>
      }
    >
      <Loaded of={latest}>
        {({ redemptions }) =>
          redemptions.length === 0 ? (
            <Text c="dimmed">{t.noRedemptions}</Text>
          ) : (
            <Table
              label={t.redemptions}
              rows={redemptions}
              columns={redemptionColumns}
              keyOf={({ redemption_id }) => redemption_id}
              href={({ redemption_id }) => `/redemptions/${redemption_id}`}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Balances({ id }: { id: string }) {
  const balances = useLive(['balances', id], () =>
    call(api.GET('/v1/users/{service_user_id}/balances', { params: { path: { service_user_id: id } } })),
  );
  return (
    <Panel title={t.balances}>
      <Loaded of={balances}>
        {({ gold, usdc }) => (
          <Facts
            rows={[
              [text.trades.columns.gold, <Amount key="g" value={gold} unit="GOLD" />],
              [text.trades.columns.usdc, <Amount key="u" value={usdc} unit="USDC" />],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
