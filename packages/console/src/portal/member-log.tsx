import { call } from '../api/client';
import { useRows } from '../api/live';
import { text } from '../text';
import { team as t } from '../text/portal/team';
import { humanize } from '../ui/format';
import { Id, Time } from '../ui/parts';
import { Rows } from '../ui/table';
import { api } from './api';

/** What members have changed, newest first. */
export function MemberLog() {
  const log = useRows(['members', 'audit'], (cursor) =>
    call(api.GET('/v1/members/audit', { params: { query: { cursor, limit: '20' } } })),
  );
  return (
    <Rows
      label={t.audit.title}
      of={log}
      rows={({ entries }) => entries}
      keyOf={({ seq }) => String(seq)}
      columns={[
        { header: t.columns.at, cell: ({ at }) => <Time at={at} /> },
        {
          header: t.columns.who,
          cell: ({ member_name }) => <span className="name">{member_name ?? text.common.none}</span>,
        },
        { header: t.columns.what, cell: ({ action }) => t.audit.actions[action] ?? humanize(action) },
        { header: t.columns.object, wide: true, cell: ({ object_id }) => <Id value={object_id} /> },
      ]}
      empty={{ title: t.audit.none }}
    />
  );
}
