import { Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api, call, type Schemas } from '../api/client';
import { useChange, useMe, useRows } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { ActionButton } from '../ui/action';
import { Confirm } from '../ui/confirm';
import { Diff } from '../ui/diff';
import { CsvButton, useFilters } from '../ui/filters';
import { approvalName } from '../ui/format';
import { notifyOutcome } from '../ui/outcome';
import { Id, PageHead, TextLink, Time } from '../ui/parts';
import { useFactor } from '../ui/second-factor';
import { Pages } from '../ui/table';

type Approval = Schemas['Approval'];
type Status = Approval['status'];
const t = text.approvals;

export function Approvals() {
  const filters = useFilters();
  const status = (filters.values.status ?? 'pending') as Status;
  const list = useRows(['approvals', 'list', status], (cursor) =>
    call(api.GET('/operator/v1/approvals', { params: { query: { status, cursor, limit: '50' } } })),
  );
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={<CsvButton path="/operator/v1/approvals" query={{ status }} />}
      />
      <SegmentedControl
        mb="lg"
        value={status}
        onChange={(value) => filters.set({ status: value === 'pending' ? undefined : value })}
        data={Object.entries(t.tabs).map(([value, label]) => ({ value, label }))}
      />
      <Pages of={list} rows={(page) => page.approvals} empty={{ title: t.empty[status], body: t.emptyBody }}>
        {(approvals) => approvals.map((approval) => <Card key={approval.approval_id} approval={approval} />)}
      </Pages>
    </>
  );
}

function Card({ approval }: { approval: Approval }) {
  const me = useMe();
  const [asked, setAsked] = useState<'approve' | 'reject'>();
  const actions = approval.available_actions;
  const own = approval.requested_by === me.operator_id;
  return (
    <article className="panel approval">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2}>{approvalName(approval.action)}</Title>
          <Text size="sm" c="dimmed">
            {fill(t.asked, { name: approval.requested_by_name })} · <Time at={approval.created_at} />
          </Text>
        </div>
        <Subject approval={approval} />
      </Group>
      <Diff before={approval.before} after={approval.request} />
      {approval.status === 'pending' ? (
        <Group justify="space-between" mt="md">
          <Text size="sm" c="dimmed">
            {t.expires} <Time at={approval.expires_at} />
          </Text>
          {actions.length > 0 ? (
            <Group gap="sm" justify="flex-end">
              {actions.includes('approve') ? null : (
                <Text size="sm">{fill(t.samePerson, { name: approval.requested_by_name })}</Text>
              )}
              <ActionButton variant="default" onClick={() => setAsked('reject')}>
                {t.reject}
              </ActionButton>
              {actions.includes('approve') ? (
                <ActionButton onClick={() => setAsked('approve')}>{t.approve}</ActionButton>
              ) : null}
            </Group>
          ) : (
            <Text size="sm">{own ? t.own : t.role}</Text>
          )}
        </Group>
      ) : approval.decided_by_name ? (
        <Text size="sm" c="dimmed" mt="md">
          {fill(t.decided, { name: approval.decided_by_name })} · <Time at={approval.decided_at} />
          {approval.reason ? ` · ${approval.reason}` : ''}
        </Text>
      ) : null}
      {asked ? <Decision approval={approval} decision={asked} onClose={() => setAsked(undefined)} /> : null}
    </article>
  );
}

/** The thing that would change, as a link where it has a page. */
function Subject({ approval: { object_type: type, object_id: id } }: { approval: Approval }) {
  const page = { redemption: '/redemptions', partner: '/partners' }[type];
  const shown = id.length > 22 ? `${id.slice(0, 16)}…` : id;
  return page ? (
    <Id value={id} link={<TextLink to={`${page}/${id}`}>{shown}</TextLink>} />
  ) : (
    <Id value={id} head={16} />
  );
}

function Decision({
  approval,
  decision,
  onClose,
}: {
  approval: Approval;
  decision: 'approve' | 'reject';
  onClose: () => void;
}) {
  const params = { path: { approval_id: approval.approval_id } };
  const factor = useFactor();
  const change = useChange(
    async (reason: string): Promise<object> =>
      decision === 'approve'
        ? call(
            api.POST('/operator/v1/approvals/{approval_id}/approve', {
              params,
              body: await factor.show({ purpose: 'approval', approval_id: approval.approval_id }),
            }),
          )
        : call(api.POST('/operator/v1/approvals/{approval_id}/reject', { params, body: { reason } })),
    (result) => {
      onClose();
      notifyOutcome(result, decision === 'approve' ? t.approved : t.rejected);
    },
  );
  const values = { action: approvalName(approval.action), name: approval.requested_by_name };
  const approves = decision === 'approve';
  const confirm = (
    <Confirm
      opened
      question={approves ? t.approveQuestion : t.rejectQuestion}
      body={fill(approves ? t.approveBody : t.rejectBody, values)}
      action={approves ? t.approve : t.reject}
      danger={!approves}
      asks={approves ? undefined : 'reason'}
      busy={change.isPending}
      onClose={onClose}
      error={change.error}
      onConfirm={(reason) => change.mutate(reason)}
    />
  );
  return (
    <>
      {confirm}
      {factor.dialog}
    </>
  );
}
