import { Alert, Button, Group, Modal, Tabs, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client';
import { useChange, useRows } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { ActionButton } from '../ui/action';
import { Choice, TextFilter, useFilters } from '../ui/filters';
import { DialogButton, type Field, FormDialog, type Values } from '../ui/form';
import { countryName } from '../ui/format';
import { List } from '../ui/list';
import { Badge, PageHead, Weight } from '../ui/parts';
import { notifyDone, notifyFailure } from '../ui/states';
import { Rows } from '../ui/table';

const t = text.catalogue;
type Denomination = Schemas['Denomination'];
type Country = Schemas['Country'];

export function Catalogue() {
  const filters = useFilters();
  const administers = useMay('administer');
  const tab = filters.values.tab ?? 'denominations';
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={administers && tab === 'denominations' ? <EditDenomination /> : null}
      />
      <Tabs
        value={tab}
        mb="lg"
        onChange={(value) => filters.set({ tab: value === 'countries' ? 'countries' : undefined })}
      >
        <Tabs.List>
          <Tabs.Tab value="denominations">{t.denominations}</Tabs.Tab>
          <Tabs.Tab value="countries">{t.countries}</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {tab === 'countries' ? <Countries /> : <Denominations />}
    </>
  );
}

function Denominations() {
  const filters = useFilters();
  const administers = useMay('administer');
  const { country, city, active } = filters.values;
  return (
    <List
      filters={filters}
      path="denominations"
      query={{ country, city, active: active as 'true' }}
      read={(query) => call(api.GET('/operator/v1/denominations', { params: { query } }))}
      label={t.denominations}
      rows={({ denominations }) => denominations}
      keyOf={({ id }) => id}
      columns={[
        { header: t.columns.label, cell: ({ label }) => <strong>{label}</strong> },
        { header: t.columns.id, cell: ({ id }) => <span className="mono">{id}</span> },
        {
          header: t.columns.weight,
          right: true,
          cell: ({ weight_g }) => <Weight grams={weight_g} />,
        },
        { header: t.columns.city, cell: ({ city, country }) => `${city}, ${countryName(country)}` },
        {
          header: t.columns.offered,
          cell: ({ active }) => <Badge tone={active ? 'good' : 'quiet'}>{t.offered[`${active}`]}</Badge>,
        },
        { header: t.columns.change, cell: (one) => (administers ? <EditDenomination one={one} /> : null) },
      ]}
      empty={{ title: t.noDenominations, body: t.noDenominationsBody }}
    >
      <TextFilter filters={filters} name="country" label={t.columns.country} />
      <TextFilter filters={filters} name="city" label={t.columns.city} />
      <Choice filters={filters} name="active" label={t.columns.offered} options={t.offered} />
    </List>
  );
}

function EditDenomination({ one }: { one?: Denomination }) {
  const fields: Field[] = [
    ...(one
      ? []
      : [
          { name: 'id', label: t.columns.id, hint: t.create.idHint },
          { name: 'weight_g', label: t.create.weight, hint: t.create.weightHint, kind: 'number' as const },
        ]),
    { name: 'label', label: t.columns.label, initial: one?.label },
    { name: 'country', label: t.create.country, initial: one?.country },
    { name: 'city', label: t.columns.city, initial: one?.city },
    { name: 'active', label: t.create.active, kind: 'check', initial: one?.active ?? true },
  ];
  const submit = (values: Values, changed: Partial<Values>): Promise<object> =>
    one
      ? call(
          api.PATCH('/operator/v1/denominations/{id}', {
            params: { path: { id: one.id } },
            body: changed as Schemas['ChangeDenominationRequest'],
          }),
        )
      : call(
          api.POST('/operator/v1/denominations', {
            body: { ...values, weight_g: Number(values.weight_g) } as Schemas['CreateDenominationRequest'],
          }),
        );
  return (
    <DialogButton
      label={one ? t.edit : t.create.action}
      size={one ? 'xs' : 'sm'}
      primary={!one}
      {...(one ? { waits: { action: 'denomination.change', object: one.id } } : {})}
    >
      {(close) => (
        <FormDialog
          title={one ? fill(t.editTitle, { name: one.label }) : t.create.action}
          lead={one ? undefined : t.create.lead}
          action={text.common.save}
          done={t.saved}
          fields={fields}
          submit={submit}
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

function Countries() {
  const administers = useMay('administer');
  const filters = useFilters();
  const change = useChange(
    ({ code, name, active }: Country) =>
      call(api.PUT('/operator/v1/countries/{code}', { params: { path: { code } }, body: { name, active } })),
    () => notifyDone(t.saved),
  );
  return (
    <List
      filters={filters}
      path="countries"
      query={{}}
      timeless
      read={({ cursor, limit }) =>
        call(api.GET('/operator/v1/countries', { params: { query: { cursor, limit } } }))
      }
      label={t.countries}
      rows={({ countries }) => countries}
      keyOf={({ code }) => code}
      columns={[
        { header: t.columns.country, cell: ({ name }) => <strong>{name}</strong> },
        { header: t.columns.code, cell: ({ code }) => code },
        {
          header: t.columns.registration,
          cell: ({ active }) => <Badge tone={active ? 'good' : 'quiet'}>{t.registration[`${active}`]}</Badge>,
        },
        {
          header: t.columns.change,
          cell: (country) => (
            <Group gap="xs" justify="flex-end">
              <IdTypes country={country} />
              {administers ? (
                <ActionButton
                  size="xs"
                  variant="default"
                  loading={change.isPending && change.variables.code === country.code}
                  // The second click of a double click would undo the first one.
                  onClick={({ detail }) => {
                    if (detail < 2)
                      change.mutate({ ...country, active: !country.active }, { onError: notifyFailure });
                  }}
                >
                  {country.active ? t.close : t.open}
                </ActionButton>
              ) : null}
            </Group>
          ),
        },
      ]}
      empty={{ title: t.noCountries }}
    />
  );
}

function IdTypes({ country }: { country: Country }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t.idTypes.action}
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={fill(t.idTypes.title, { country: country.name })}
        size="lg"
        closeButtonProps={{ 'aria-label': text.common.close }}
      >
        <IdTypeList country={country} />
      </Modal>
    </>
  );
}

function IdTypeList({ country }: { country: Country }) {
  const administers = useMay('administer');
  const list = useRows(['countries', country.code, 'id-types'], (cursor) =>
    call(
      api.GET('/operator/v1/countries/{code}/id-types', {
        params: { path: { code: country.code }, query: { cursor, limit: '100' } },
      }),
    ),
  );
  return (
    <>
      <Rows
        label={t.idTypes.action}
        of={list}
        rows={({ id_types }) => id_types}
        keyOf={({ id_type }) => id_type}
        columns={[
          { header: t.idTypes.type, cell: ({ id_type }) => <strong>{id_type}</strong> },
          { header: t.idTypes.pattern, cell: ({ pattern }) => <code>{pattern}</code> },
          { header: t.idTypes.example, cell: ({ example }) => example ?? text.common.none },
          {
            header: t.columns.change,
            cell: (one) => (administers ? <EditIdType country={country} one={one} /> : null),
          },
        ]}
        empty={{ title: t.idTypes.none, body: t.idTypes.noneBody }}
      />
      {administers ? (
        <Group mt="md">
          <EditIdType country={country} />
        </Group>
      ) : null}
    </>
  );
}

function EditIdType({ country, one }: { country: Country; one?: Schemas['IdType'] }) {
  return (
    <DialogButton label={one ? t.edit : t.idTypes.add} size="xs">
      {(close) => (
        <FormDialog
          title={one ? one.id_type : t.idTypes.add}
          lead={t.idTypes.lead}
          action={text.common.save}
          done={t.saved}
          fields={[
            ...(one ? [] : [{ name: 'id_type', label: t.idTypes.type, hint: t.idTypes.typeHint }]),
            {
              name: 'pattern',
              label: t.idTypes.pattern,
              initial: one?.pattern,
              preview: (values) => <TryPattern pattern={String(values.pattern)} />,
            },
            { name: 'example', label: t.idTypes.example, initial: one?.example ?? '', optional: true },
          ]}
          submit={({ id_type, pattern, example }) =>
            call(
              api.PUT('/operator/v1/countries/{code}/id-types/{id_type}', {
                params: { path: { code: country.code, id_type: one?.id_type ?? String(id_type) } },
                body: {
                  ...toBody(String(pattern), example),
                  expected: one ? toBody(one.pattern, one.example) : {},
                },
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

const toBody = (pattern: string, example: unknown) => ({
  pattern,
  ...(example ? { example: String(example) } : {}),
});

/** Tries a pattern on a number while both are typed. The service decides: its patterns are RE2. */
function TryPattern({ pattern }: { pattern: string }) {
  const [number, setNumber] = useState('');
  if (pattern === '') return null;
  let matches: boolean | undefined;
  try {
    matches = new RegExp(`^(?:${pattern})$`, 'u').test(number);
  } catch {
    return (
      <Alert color="red" mt="xs">
        {t.idTypes.broken}
      </Alert>
    );
  }
  return (
    <Group gap="sm" mt="xs" align="flex-end">
      <TextInput
        label={t.idTypes.try}
        value={number}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => setNumber(value)}
      />
      <Text size="sm" role="status" pb={8}>
        {number === '' ? '' : matches ? t.idTypes.matches : t.idTypes.differs}
      </Text>
    </Group>
  );
}
