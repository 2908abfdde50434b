import { Group, Stack } from '@mantine/core';
import { ApiError, call } from '../api/client';
import { useLive } from '../api/live';
import { text } from '../text';
import { records } from '../text/portal/records';
import { DetailPage } from '../ui/detail-page';
import { Choice, TextFilter, useFilters } from '../ui/filters';
import { countryName, humanize } from '../ui/format';
import { List } from '../ui/list';
import { Amount, Badge, ChainId, Facts, Id, PageHead, Panel, Time } from '../ui/parts';
import { Loaded } from '../ui/states';
import { api, type Schemas } from './api';
import { LatestRedemptions, LatestTrades } from './record-parts';

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
  return (
    <DetailPage list="/customers" title={t.title} kind="users" read={readUser}>
      {(one) => <Detail one={one} />}
    </DetailPage>
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
          <LatestTrades title={t.trades} search={{ service_user_id: id }} />
          <LatestRedemptions title={t.redemptions} search={{ service_user_id: id }} />
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
