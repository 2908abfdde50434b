import { Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client';
import { useChange, useLive, useRows } from '../api/live';
import { api, type Schemas, useMe } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { ActionButton } from '../ui/action';
import { changeWords } from '../ui/change-words';
import { Confirm } from '../ui/confirm';
import { CsvButton, useFilters } from '../ui/filters';
import { approvalName, shorten } from '../ui/format';
import { notifyOutcome } from '../ui/outcome';
import { Facts, Id, PageHead, TextLink, Time } from '../ui/parts';
import { useFactor } from '../ui/second-factor';
import { Pages } from '../ui/table';

type Approval = Schemas['Approval'];
type Status = Approval['status'];
const t = text.approvals;

export function Approvals() {
  const filters = useFilters();
  // Not of the card, which goes when its request is decided, with what the dialog reports.
  const [asked, setAsked] = useState<Asked>();
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
        {(approvals) =>
          approvals.map((approval) => (
            <Card key={approval.approval_id} approval={approval} onAsk={setAsked} />
          ))
        }
      </Pages>
      {asked ? <Decision {...asked} onClose={() => setAsked(undefined)} /> : null}
    </>
  );
}

interface Asked {
  approval: Approval;
  decision: 'approve' | 'reject';
}

function Card({ approval, onAsk }: { approval: Approval; onAsk: (asked: Asked) => void }) {
  const me = useMe();
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
      <WhatChanges of={approval} />
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
              <ActionButton variant="default" onClick={() => onAsk({ approval, decision: 'reject' })}>
                {t.reject}
              </ActionButton>
              {actions.includes('approve') ? (
                <ActionButton onClick={() => onAsk({ approval, decision: 'approve' })}>
                  {t.approve}
                </ActionButton>
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
    </article>
  );
}

/** What would change, in a sentence each, and nothing of what stays. */
function WhatChanges({ of }: { of: Approval }) {
  const { sentences, rest, reason } = changeWords(of);
  return (
    <div className="change">
      <p>{sentences.join(' ')}</p>
      {rest.length > 0 ? <Facts rows={rest} /> : null}
      {reason ? (
        <Text size="sm" c="dimmed" mt="xs">
          {fill(t.why, { reason })}
        </Text>
      ) : null}
    </div>
  );
}

/** The page of a thing that would change; limits are those of a user, a partner or the service. */
function pageOf(type: string, id: string): string | undefined {
  if (type === 'redemption') return '/redemptions';
  if (type === 'limits' && id.startsWith('gu_')) return '/users';
  if (type === 'partner' || (type === 'limits' && id !== 'service')) return '/partners';
  return undefined;
}

/** The thing that would change, as a link where it has a page. */
function Subject({ approval: { object_type: type, object_id: id } }: { approval: Approval }) {
  const page = pageOf(type, id);
  const partner = useLive(
    ['partners', id],
    () => call(api.GET('/operator/v1/partners/{partner_id}', { params: { path: { partner_id: id } } })),
    page === '/partners',
  );
  const short = shorten(id, 16);
  return (
    <span className="subject">
      {partner.data ? <strong>{partner.data.name}</strong> : null}
      <Id
        value={id}
        head={16}
        {...(page ? { link: <TextLink to={`${page}/${id}`}>{short}</TextLink> } : {})}
      />
    </span>
  );
}

function Decision({ approval, decision, onClose }: Asked & { onClose: () => void }) {
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
  const values = { name: approval.requested_by_name };
  const approves = decision === 'approve';
  const confirm = (
    <Confirm
      opened
      question={approves ? t.approveQuestion : t.rejectQuestion}
      body={
        <>
          <strong>{changeWords(approval).sentences.join(' ')}</strong>{' '}
          {fill(approves ? t.approveBody : t.rejectBody, values)}
        </>
      }
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
