import { call } from '../api/client';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { Choice, useFilters } from '../ui/filters';
import { List } from '../ui/list';
import { PartnerFilter, PartnerName } from '../ui/names';
import { Badge, ChainId, Id, PageHead, Time } from '../ui/parts';
import { FindCustomer } from './find-customer';

const t = text.users;

export function Users() {
  const filters = useFilters();
  const { partner_id, status } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={<FindCustomer />} />
      <List
        filters={filters}
        path="users"
        query={{ partner_id, status: status as Schemas['User']['status'] }}
        read={(query) => call(api.GET('/operator/v1/users', { params: { query } }))}
        label={t.title}
        rows={({ users }) => users}
        keyOf={({ service_user_id }) => service_user_id}
        href={({ service_user_id }) => `/users/${service_user_id}`}
        columns={[
          { header: t.columns.user, cell: ({ user_id }) => <span className="name">{user_id}</span> },
          {
            header: t.columns.status,
            cell: ({ status }) => (
              <Badge tone={status === 'active' ? 'good' : 'bad'}>{t.status[status]}</Badge>
            ),
          },
          {
            header: t.columns.id,
            wide: true,
            cell: ({ service_user_id }) => <Id value={service_user_id} head={12} />,
          },
          { header: t.columns.wallet, cell: (one) => <ChainId kind="address" value={one.wallet_address} /> },
          {
            header: t.columns.partner,
            wide: true,
            cell: ({ partner_id }) => <PartnerName id={partner_id} />,
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
