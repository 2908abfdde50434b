import { Button, Group, Modal } from '@mantine/core';
import { Fragment, useState } from 'react';
import { call } from '../api/client';
import { readAll, useLive, useRows } from '../api/live';
import { api, type Schemas, useMay, useMe } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { Choice, useFilters } from '../ui/filters';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { List } from '../ui/list';
import { Badge, Id, PageHead, Time } from '../ui/parts';
import { Rows } from '../ui/table';
import { SessionList } from './sessions';

const t = text.operators;
type Operator = Schemas['ListedOperator'];
type Changes = Schemas['ChangeOperatorRequest'];

export function Operators() {
  const filters = useFilters();
  const administers = useMay('administer');
  const { status, role } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={administers ? <Create /> : null} />
      <List
        filters={filters}
        path="operators"
        query={{ status: status as Operator['status'], role: role as Operator['role'] }}
        read={(query) => call(api.GET('/operator/v1/operators', { params: { query } }))}
        label={t.title}
        rows={({ operators }) => operators}
        keyOf={({ operator_id }) => operator_id}
        columns={[
          { header: t.columns.name, cell: ({ name }) => <strong>{name}</strong> },
          { header: t.columns.email, cell: ({ email }) => email },
          { header: t.columns.role, cell: ({ role }) => text.roles[role] },
          {
            header: t.columns.status,
            cell: ({ status }) => (
              <Badge tone={status === 'active' ? 'good' : 'quiet'}>{t.status[status]}</Badge>
            ),
          },
          {
            header: t.columns.factor,
            cell: (one) => (administers ? <Factors of={one.second_factor} /> : null),
          },
          { header: t.columns.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { header: t.columns.openedBy, wide: true, cell: ({ opened_by }) => <Openers ids={opened_by} /> },
          { header: t.columns.change, cell: (one) => (administers ? <Actions operator={one} /> : null) },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <Choice filters={filters} name="status" label={t.columns.status} options={t.status} />
        <Choice filters={filters} name="role" label={t.columns.role} options={text.roles} />
      </List>
    </>
  );
}

/** The operators who may know a password: the one who opened the account, then the one who opened that account, and so on. */
function Openers({ ids }: { ids: string[] }) {
  // An opener may be on another page of the list, or left out by its filters.
  const read = async () => {
    const pages = await readAll((cursor) =>
      call(api.GET('/operator/v1/operators', { params: { query: { cursor, limit: '100' } } })),
    );
    const named = pages.flatMap(({ operators }) => operators);
    return new Map(named.map(({ operator_id, name }) => [operator_id, name]));
  };
  const names = useLive(['operators', 'names'], read, ids.length > 0);
  if (ids.length === 0) return text.common.none;
  return ids.map((id, index) => (
    <Fragment key={id}>
      {index > 0 ? t.behind : null}
      {names.data?.get(id) ?? <Id value={id} />}
    </Fragment>
  ));
}

/** The kinds of second factors, and since when there has been one. */
function Factors({ of }: { of: Operator['second_factor'] }) {
  if (!of) return <Badge tone="quiet">{t.factors.none}</Badge>;
  const { passkeys, totp, since } = of;
  const kinds = [
    ...(passkeys === 1 ? [t.factors.passkey] : []),
    ...(passkeys > 1 ? [fill(t.factors.passkeys, { count: passkeys })] : []),
    ...(totp ? [t.factors.totp] : []),
  ];
  return (
    <>
      {kinds.join(', ')} {t.factors.since} <Time at={since} />
    </>
  );
}

function Create() {
  return (
    <DialogButton label={t.create.action} primary>
      {(close) => (
        <FormDialog
          title={t.create.title}
          lead={t.create.lead}
          action={t.create.action}
          done={t.create.done}
          fields={[
            { name: 'name', label: t.columns.name },
            { name: 'email', label: t.columns.email },
            { name: 'role', label: t.columns.role, kind: 'choice', options: text.roles, initial: 'viewer' },
            { name: 'password', label: t.create.password, hint: t.create.passwordHint, kind: 'password' },
          ]}
          submit={(values) =>
            call(api.POST('/operator/v1/operators', { body: values as Schemas['CreateOperatorRequest'] }))
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

function Actions({ operator }: { operator: Operator }) {
  const me = useMe();
  const params = { path: { operator_id: operator.operator_id } };
  const disabled = operator.status === 'disabled';
  const words = disabled ? t.enable : t.disable;
  return (
    <Group gap="xs">
      <DialogButton
        label={t.edit.action}
        size="xs"
        waits={{ action: 'operator.change', object: operator.operator_id }}
      >
        {(close) => (
          <FormDialog
            title={fill(t.edit.title, { name: operator.name })}
            action={text.common.save}
            done={t.edit.done}
            fields={[
              { name: 'name', label: t.columns.name, initial: operator.name },
              {
                name: 'role',
                label: t.columns.role,
                kind: 'choice',
                options: text.roles,
                initial: operator.role,
              },
            ]}
            submit={(_, changed) =>
              call(api.PATCH('/operator/v1/operators/{operator_id}', { params, body: changed as Changes }))
            }
            onClose={close}
          />
        )}
      </DialogButton>
      <Tokens operator={operator} />
      <Sessions operator={operator} />
      {me.operator_id === operator.operator_id || !operator.second_factor ? null : (
        <DialogButton
          label={t.reset.action}
          size="xs"
          waits={{ action: 'operator.reset_second_factor', object: operator.operator_id }}
        >
          {(close) => (
            <FormDialog
              title={fill(t.reset.title, { name: operator.name })}
              lead={t.reset.lead}
              action={t.reset.action}
              danger
              done={t.reset.done}
              fields={[reasonField]}
              submit={({ reason }) =>
                call(
                  api.POST('/operator/v1/operators/{operator_id}/reset-second-factor', {
                    params,
                    body: { reason: String(reason) },
                  }),
                )
              }
              onClose={close}
            />
          )}
        </DialogButton>
      )}
      {me.operator_id === operator.operator_id ? null : (
        <DialogButton
          label={words.action}
          size="xs"
          waits={{ action: ['operator.disable', 'operator.enable'], object: operator.operator_id }}
        >
          {(close) => (
            <FormDialog
              title={fill(words.title, { name: operator.name })}
              lead={words.lead}
              action={words.action}
              danger={!disabled}
              done={words.done}
              fields={[{ ...reasonField, optional: disabled }]}
              submit={({ reason }) =>
                disabled
                  ? call(
                      api.POST('/operator/v1/operators/{operator_id}/enable', {
                        params,
                        body: reason ? { reason: String(reason) } : {},
                      }),
                    )
                  : call(
                      api.POST('/operator/v1/operators/{operator_id}/disable', {
                        params,
                        body: { reason: String(reason) },
                      }),
                    )
              }
              onClose={close}
            />
          )}
        </DialogButton>
      )}
    </Group>
  );
}

/** The tokens of an operator, in a dialog of their own. */
function Tokens({ operator }: { operator: Operator }) {
  return (
    <ListDialogButton label={t.tokens.action} title={fill(t.tokens.title, { name: operator.name })}>
      <TokenList operatorId={operator.operator_id} />
    </ListDialogButton>
  );
}

/** The open sessions of an operator, in a dialog of their own. */
function Sessions({ operator: { name, operator_id } }: { operator: Operator }) {
  return (
    <ListDialogButton label={text.sessions.action} title={fill(text.sessions.title, { name })}>
      <SessionList operatorId={operator_id} />
    </ListDialogButton>
  );
}

function ListDialogButton({
  label,
  title,
  children,
}: {
  label: string;
  title: string;
  children: React.ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {label}
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={title}
        size="xl"
        closeButtonProps={{ 'aria-label': text.common.close }}
      >
        {children}
      </Modal>
    </>
  );
}

export function TokenList({ operatorId }: { operatorId: string }) {
  const list = useRows(['operators', operatorId, 'tokens'], (cursor) =>
    call(
      api.GET('/operator/v1/operators/{operator_id}/tokens', {
        params: { path: { operator_id: operatorId }, query: { cursor, limit: '50' } },
      }),
    ),
  );
  return (
    <Rows
      label={t.tokens.label}
      of={list}
      rows={({ tokens }) => tokens}
      keyOf={({ token_id }) => token_id}
      columns={[
        { header: t.columns.name, cell: ({ token_name }) => token_name },
        {
          header: t.columns.status,
          cell: ({ status }) => (
            <Badge tone={status === 'active' ? 'good' : 'quiet'}>{t.tokens.status[status]}</Badge>
          ),
        },
        { header: t.tokens.used, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
        { header: t.tokens.expires, wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
        {
          header: t.columns.change,
          cell: ({ token_id, token_name, status }) =>
            status === 'active' ? <RevokeToken id={token_id} name={token_name} /> : null,
        },
      ]}
      empty={{ title: t.tokens.none, body: t.tokens.noneBody }}
    />
  );
}

function RevokeToken({ id, name }: { id: string; name: string }) {
  return (
    <DialogButton label={t.tokens.revoke} size="xs">
      {(close) => (
        <FormDialog
          title={fill(t.tokens.revokeTitle, { name })}
          lead={t.tokens.revokeLead}
          action={t.tokens.revoke}
          danger
          done={t.tokens.revoked}
          fields={[{ ...reasonField, optional: true }]}
          submit={({ reason }) =>
            call(
              api.POST('/operator/v1/operator-tokens/{token_id}/revoke', {
                params: { path: { token_id: id } },
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
