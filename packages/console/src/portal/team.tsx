import { Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { fill } from '../text/en';
import { frame } from '../text/portal/frame';
import { team as t } from '../text/portal/team';
import { DialogButton, type Field, FormDialog } from '../ui/form';
import { InvitationLink, type IssuedTo } from '../ui/invitation-link';
import { Badge, PageHead, Panel, Time } from '../ui/parts';
import { Loaded } from '../ui/states';
import { Table } from '../ui/table';
import { api, type Schemas, useMe } from './api';
import { MemberLog } from './member-log';

type Member = Schemas['Member'];
type Invitation = Schemas['Invitation'];
type Role = Member['role'];

const roleField = (initial: Role): Field => ({
  name: 'role',
  label: t.columns.role,
  kind: 'choice',
  options: Object.fromEntries(
    (Object.keys(frame.roles) as Role[]).map((role) => [role, `${frame.roles[role]}: ${t.roleHints[role]}`]),
  ),
  initial,
});

export function Team() {
  const members = useLive(['members', 'list'], () => call(api.GET('/v1/members')));
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={<Invite />} />
      <Stack gap="lg">
        <Panel title={t.members}>
          <Loaded of={members}>
            {({ members: all }) => (
              <Table
                label={t.members}
                rows={all}
                keyOf={({ member_id }) => member_id}
                columns={[
                  { header: t.columns.name, cell: (member) => <Name of={member} /> },
                  { header: t.columns.email, cell: ({ email }) => <span className="name">{email}</span> },
                  { header: t.columns.role, cell: ({ role }) => frame.roles[role] },
                  { header: t.columns.status, cell: ({ status }) => <Status of={status} /> },
                  { header: t.columns.seen, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
                  {
                    header: t.columns.change,
                    cell: (member) => (member.status === 'active' ? <Actions member={member} /> : null),
                  },
                ]}
              />
            )}
          </Loaded>
        </Panel>
        <Panel title={t.invitations.title}>
          <Invitations />
        </Panel>
        <Panel title={t.audit.title}>
          <MemberLog />
        </Panel>
      </Stack>
    </>
  );
}

function Name({ of: { member_id, name } }: { of: Member }) {
  const me = useMe();
  return (
    <Group gap="xs">
      <strong className="name">{name}</strong>
      {member_id === me.member_id ? <Badge tone="good">{t.you}</Badge> : null}
    </Group>
  );
}

function Status({ of }: { of: Member['status'] }) {
  return <Badge tone={of === 'active' ? 'good' : 'quiet'}>{t.status[of]}</Badge>;
}

function Actions({ member: { member_id, name, role } }: { member: Member }) {
  const params = { path: { member_id } };
  return (
    <Group gap="xs">
      <DialogButton label={t.change.action} size="xs">
        {(close) => (
          <FormDialog
            title={fill(t.change.title, { name })}
            action={t.change.action}
            done={t.change.done}
            fields={[{ name: 'name', label: t.columns.name, initial: name }, roleField(role)]}
            submit={(_values, changed) =>
              call(api.PATCH('/v1/members/{member_id}', { params, body: changed }))
            }
            onClose={close}
          />
        )}
      </DialogButton>
      <DialogButton label={t.remove.action} size="xs">
        {(close) => (
          <FormDialog
            title={fill(t.remove.title, { name })}
            lead={t.remove.lead}
            action={t.remove.action}
            keep={t.remove.keep}
            danger
            done={t.remove.done}
            fields={[]}
            submit={() => call(api.DELETE('/v1/members/{member_id}', { params }))}
            onClose={close}
          />
        )}
      </DialogButton>
    </Group>
  );
}

/** Makes an invitation, and shows its link, which is possible once. */
function Invite() {
  const [made, setMade] = useState<IssuedTo>();
  return (
    <>
      <DialogButton label={t.invite.action} primary>
        {(close) => <InviteForm onDone={setMade} onClose={close} />}
      </DialogButton>
      {made ? <InvitationLink of={made} onClose={() => setMade(undefined)} /> : null}
    </>
  );
}

function InviteForm({ onDone, onClose }: { onDone: (made: IssuedTo) => void; onClose: () => void }) {
  return (
    <FormDialog
      title={t.invite.title}
      lead={t.invite.lead}
      action={t.invite.create}
      done={t.invite.done}
      fields={[{ name: 'email', label: t.columns.email }, roleField('viewer')]}
      submit={async ({ email, role }) => {
        const body = { email: String(email), role: role as Role };
        return { ...(await call(api.POST('/v1/members/invitations', { body }))), email: body.email };
      }}
      onDone={(result) => onDone(result as IssuedTo)}
      onClose={onClose}
    />
  );
}

function Invitations() {
  const open = useLive(['members', 'invitations'], () => call(api.GET('/v1/members/invitations')));
  return (
    <Loaded of={open}>
      {({ invitations }) =>
        invitations.length === 0 ? (
          <Text c="dimmed">{t.invitations.none}</Text>
        ) : (
          <Table
            label={t.invitations.title}
            rows={invitations}
            keyOf={({ invitation_id }) => invitation_id}
            columns={[
              { header: t.columns.email, cell: ({ email }) => <span className="name">{email}</span> },
              { header: t.columns.role, cell: ({ role }) => frame.roles[role] },
              { header: t.columns.until, cell: ({ expires_at }) => <Time at={expires_at} /> },
              { header: t.columns.change, cell: (invitation) => <Withdraw invitation={invitation} /> },
            ]}
          />
        )
      }
    </Loaded>
  );
}

function Withdraw({ invitation: { invitation_id, email } }: { invitation: Invitation }) {
  return (
    <DialogButton label={t.invitations.withdraw} size="xs">
      {(close) => (
        <FormDialog
          title={fill(t.invitations.withdrawTitle, { email })}
          lead={t.invitations.withdrawLead}
          action={t.invitations.withdraw}
          danger
          done={t.invitations.withdrawn}
          fields={[]}
          submit={() =>
            call(
              api.DELETE('/v1/members/invitations/{invitation_id}', { params: { path: { invitation_id } } }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}
