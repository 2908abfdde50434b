import { Alert } from '@mantine/core';
import { call } from '../api/client';
import { useRows } from '../api/live';
import { fill } from '../text/en';
import { requests as t } from '../text/portal/requests';
import { Choice, FilterBar, TextFilter, useFilters } from '../ui/filters';
import { formatCount, shorten } from '../ui/format';
import { Badge, PageHead, Panel, Time } from '../ui/parts';
import { Rows } from '../ui/table';
import { api, type Schemas } from './api';

type Logged = Schemas['LoggedRequest'];

export function Requests() {
  const filters = useFilters();
  const { status, method, path, key_id, q } = filters.values;
  const query = { status, method, path, key_id, ...(isObjectId(q) ? { object_id: q } : { q }) };
  const list = useRows(['requests', 'list', query], (cursor) =>
    call(api.GET('/v1/requests', { params: { query: { ...query, cursor, limit: '50' } } })),
  );
  const cut = list.data?.pages[0]?.days.filter(({ requests, logged }) => logged < requests) ?? [];
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {cut.map(({ date, requests, logged }) => (
        <Alert key={date} color="yellow" variant="light" mb="md" role="status">
          {fill(t.counted, { date, requests: formatCount(requests), logged: formatCount(logged) })}
        </Alert>
      ))}
      <Panel>
        <FilterBar
          filters={filters}
          first={<TextFilter filters={filters} name="q" label={t.filters.request} width={300} />}
        >
          <TextFilter filters={filters} name="status" label={t.filters.status} width={90} />
          <Choice filters={filters} name="method" label={t.filters.method} options={methods} />
          <TextFilter filters={filters} name="path" label={t.filters.path} width={170} />
          <TextFilter filters={filters} name="key_id" label={t.filters.key} width={160} />
        </FilterBar>
        <Rows
          of={list}
          label={t.title}
          rows={({ requests }) => requests}
          keyOf={({ request_id }) => request_id}
          href={({ request_id }) => `/requests/${request_id}`}
          columns={[
            {
              header: t.columns.request,
              cell: (one) => (
                <>
                  <strong>{one.method}</strong> {one.path}
                </>
              ),
            },
            { header: t.columns.status, cell: (one) => <RequestStatus status={one.status} /> },
            { header: t.columns.why, cell: ({ error_code, reason }) => reason ?? error_code },
            { header: t.columns.by, wide: true, cell: (one) => madeBy(one) },
            {
              header: t.columns.duration,
              wide: true,
              right: true,
              cell: ({ duration_ms: ms }) => fill(t.ms, { ms }),
            },
            { header: t.columns.at, cell: ({ created_at }) => <Time at={created_at} /> },
          ]}
          empty={{ title: t.none, body: t.noneBody }}
        />
      </Panel>
    </>
  );
}

/** Ids of objects begin with what they are of: `trd_01a2…`. */
const isObjectId = (id: string | undefined) => /^[a-z]+_[0-9a-f]{8}-/i.test(id ?? '');

const methods = Object.fromEntries(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((each) => [each, each]));

/** The status of a response: what the caller did wrong, and what Karat did. */
export function RequestStatus({ status }: { status: number }) {
  return <Badge tone={status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'}>{status}</Badge>;
}

/** The key or the member who made a request. */
export const madeBy = ({ key_id, member_id }: Pick<Logged, 'key_id' | 'member_id'>) =>
  key_id
    ? fill(t.key, { id: shorten(key_id) })
    : member_id
      ? fill(t.member, { id: shorten(member_id) })
      : null;
