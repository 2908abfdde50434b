import { Group } from '@mantine/core';
import { call } from '../api/client';
import { useRows } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { browserOf } from '../ui/format';
import { Badge, Time } from '../ui/parts';
import { Rows } from '../ui/table';

const t = text.sessions;
type Session = Schemas['Session'];

/** The open sessions of an operator, to end one or all; without `operatorId`, one's own. */
export function SessionList({ operatorId }: { operatorId?: string }) {
  const list = useRows(['operators', operatorId ?? 'me', 'sessions'], (cursor) => {
    const query = { cursor, limit: '50' };
    if (operatorId === undefined) return call(api.GET('/operator/v1/me/sessions', { params: { query } }));
    const params = { path: { operator_id: operatorId }, query };
    return call(api.GET('/operator/v1/operators/{operator_id}/sessions', { params }));
  });
  return (
    <>
      <Rows
        label={t.label}
        of={list}
        rows={({ sessions }) => sessions}
        keyOf={({ session_id }) => session_id}
        columns={[
          {
            header: t.browser,
            cell: ({ user_agent, current }) => (
              <Group gap="xs">
                <span title={user_agent ?? undefined}>{browserOf(user_agent) ?? t.unknown}</span>
                {current ? <Badge tone="good">{t.current}</Badge> : null}
              </Group>
            ),
          },
          { header: t.address, cell: ({ address }) => <span className="mono">{address}</span> },
          { header: t.since, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { header: t.used, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
          {
            header: text.operators.columns.change,
            cell: (session) =>
              session.current ? null : <End session={session} own={operatorId === undefined} />,
          },
        ]}
        empty={{ title: t.none }}
      />
      <Group justify="flex-end" mt="md">
        <EndAll operatorId={operatorId} />
      </Group>
    </>
  );
}

function End({ session: { session_id }, own }: { session: Session; own: boolean }) {
  const params = { path: { session_id } };
  return (
    <DialogButton label={t.end} size="xs">
      {(close) => (
        <FormDialog
          title={t.endTitle}
          lead={t.endLead}
          action={t.end}
          danger
          done={t.ended}
          fields={own ? [] : [{ ...reasonField, optional: true }]}
          submit={({ reason }) =>
            own
              ? call(api.POST('/operator/v1/me/sessions/{session_id}/end', { params, body: {} }))
              : call(
                  api.POST('/operator/v1/operator-sessions/{session_id}/end', {
                    params,
                    body: reason ? { reason: String(reason) } : {},
                  }),
                )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

function EndAll({ operatorId }: { operatorId: string | undefined }) {
  const words = operatorId === undefined ? t.others : t.all;
  return (
    <DialogButton label={words.action}>
      {(close) => (
        <FormDialog
          title={words.title}
          lead={words.lead}
          action={words.action}
          danger
          done={words.done}
          fields={operatorId === undefined ? [] : [{ ...reasonField, optional: true }]}
          submit={({ reason }) =>
            operatorId === undefined
              ? call(api.POST('/operator/v1/me/sessions/end-others', { body: {} }))
              : call(
                  api.POST('/operator/v1/operators/{operator_id}/end-sessions', {
                    params: { path: { operator_id: operatorId } },
                    body: reason ? { reason: String(reason) } : {},
                  }),
                )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}
