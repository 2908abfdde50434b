import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, call } from '../api/client';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { DialogButton } from '../ui/form';
import { countryName, documentName } from '../ui/format';
import { TextLink } from '../ui/parts';
import { Empty, explain } from '../ui/states';
import { type Column, Table } from '../ui/table';

const t = text.findCustomer;
type Found = Schemas['FoundCustomer'];

/** Searches customers by their identity, for roles that see identity data. What is searched for is in no address. */
export function FindCustomer() {
  const reads = useMay('read_kyc');
  if (!reads) return null;
  return <DialogButton label={t.action}>{(close) => <FindDialog onClose={close} />}</DialogButton>;
}

const fields = [
  { name: 'full_name', label: t.name, hint: t.nameHint },
  { name: 'id_number', label: t.number, hint: t.numberHint },
  { name: 'reason', label: text.common.reason, hint: text.common.reasonHint },
] as const;
type Values = Record<(typeof fields)[number]['name'], string>;

/** The search; `name` is what was typed before it opened. */
export function FindDialog({ name = '', onClose }: { name?: string; onClose: () => void }) {
  const [values, setValues] = useState<Values>({ full_name: name, id_number: '', reason: '' });
  const search = useMutation({
    mutationFn: ({ full_name, id_number, reason }: Values) =>
      call(
        api.POST('/operator/v1/users/search', {
          body: { reason, ...(full_name && { full_name }), ...(id_number && { id_number }) },
        }),
      ),
    // Not kept.
    gcTime: 0,
  });
  const failure = search.error;
  const faulty = failure instanceof ApiError ? failure.field : undefined;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const { full_name, id_number, reason } = values;
    search.mutate({ full_name: full_name.trim(), id_number: id_number.trim(), reason: reason.trim() });
  };
  return (
    <Modal
      opened
      size="xl"
      onClose={onClose}
      title={t.title}
      closeButtonProps={{ 'aria-label': text.common.close }}
    >
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          <Text>{t.lead}</Text>
          {fields.map(({ name, label, hint }) => (
            <TextInput
              key={name}
              label={label}
              description={hint}
              autoComplete="off"
              required={name === 'reason'}
              withAsterisk={false}
              error={faulty === name && failure ? failure.message : undefined}
              value={values[name]}
              onChange={({ currentTarget: { value } }) => setValues({ ...values, [name]: value })}
            />
          ))}
          {failure && !fields.some(({ name }) => name === faulty) ? (
            <Text role="alert" c="var(--mantine-color-error)">
              {explain(failure)}
            </Text>
          ) : null}
          <Group justify="flex-end">
            <Button type="submit" loading={search.isPending}>
              {t.find}
            </Button>
          </Group>
        </Stack>
      </form>
      {search.data ? <Results found={search.data} onFollow={onClose} /> : null}
    </Modal>
  );
}

function Results({
  found,
  onFollow,
}: {
  found: { users: Found[]; has_more: boolean };
  onFollow: () => void;
}) {
  if (found.users.length === 0) return <Empty title={t.none} body={t.noneBody} />;
  const columns: Column<Found>[] = [
    {
      header: t.columns.name,
      cell: ({ full_name, service_user_id }) => (
        <TextLink to={`/users/${service_user_id}`} onFollow={onFollow}>
          {full_name ?? t.unreadable}
        </TextLink>
      ),
    },
    {
      header: t.columns.document,
      cell: ({ id_type, id_number_masked }) =>
        [id_type && documentName(id_type), id_number_masked].filter(Boolean).join(' ') || text.common.none,
    },
    { header: t.columns.country, cell: ({ country }) => countryName(country) },
    { header: text.users.columns.user, cell: ({ user_id }) => user_id },
    {
      header: text.users.records,
      cell: ({ service_user_id }) => (
        <TextLink to="/redemptions" search={{ service_user_id }} onFollow={onFollow}>
          {text.nav.redemptions}
        </TextLink>
      ),
    },
  ];
  return (
    <>
      <Table
        label={t.results}
        rows={found.users}
        columns={columns}
        keyOf={({ service_user_id }) => service_user_id}
      />
      {found.has_more ? (
        <Text mt="md" c="dimmed">
          {t.more}
        </Text>
      ) : null}
    </>
  );
}
