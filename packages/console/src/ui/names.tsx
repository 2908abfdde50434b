import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';
import { readAll } from '../api/live';
import { api } from '../api/operator';
import { text } from '../text';
import type { Filters } from './filters';
import { shorten } from './format';
import { TextLink } from './parts';

/** How long names count as current: a change of what they name has them read again anyway. */
const currentMs = 300_000;

type Names = Record<string, string>;

/** The names of all partners, by id; there are few. */
export function usePartnerNames(): Names | undefined {
  const { data } = useQuery({
    queryKey: ['partners', 'names'],
    queryFn: async () => {
      const pages = await readAll((cursor) =>
        call(api.GET('/operator/v1/partners', { params: { query: { cursor, limit: '100' } } })),
      );
      return Object.fromEntries(
        pages.flatMap(({ partners }) => partners.map(({ partner_id, name }) => [partner_id, name])),
      );
    },
    staleTime: currentMs,
  });
  return data;
}

/** The names of all operators, by id, with those who are disabled. */
export function useOperatorNames(): Names | undefined {
  const { data } = useQuery({
    queryKey: ['operators', 'names'],
    queryFn: async () => {
      const pages = await readAll((cursor) =>
        call(api.GET('/operator/v1/operators', { params: { query: { cursor, limit: '100' } } })),
      );
      return Object.fromEntries(
        pages.flatMap(({ operators }) => operators.map(({ operator_id, name }) => [operator_id, name])),
      );
    },
    staleTime: currentMs,
  });
  return data;
}

/** The items of the catalogue, and the cities where they are picked up. */
export function useCatalogue(): { items: { id: string; label: string; city: string }[]; cities: string[] } {
  const { data } = useQuery({
    queryKey: ['denominations', 'all'],
    queryFn: () =>
      readAll((cursor) =>
        call(api.GET('/operator/v1/denominations', { params: { query: { cursor, limit: '100' } } })),
      ),
    staleTime: currentMs,
  });
  const all = (data ?? []).flatMap(({ denominations }) => denominations);
  return {
    items: all,
    cities: [...new Set(all.map(({ city }) => city))].sort(),
  };
}

/** The name of a partner, which leads to its page; its id where there is no name. */
export function PartnerLink({ id }: { id: string }) {
  return <TextLink to={`/partners/${id}`}>{usePartnerNames()?.[id] ?? shorten(id)}</TextLink>;
}

/** The name of a partner in a row that leads elsewhere. */
export function PartnerName({ id }: { id: string }) {
  return <span className="name">{usePartnerNames()?.[id] ?? shorten(id)}</span>;
}

/** A choice by name among what has ids; an id without a name stays chosen. */
function NameFilter({
  filters,
  name,
  label,
  names = {},
}: {
  filters: Filters;
  name: string;
  label: string;
  names: Names | undefined;
}) {
  const chosen = filters.values[name] ?? null;
  const known = chosen === null || chosen in names ? names : { ...names, [chosen]: shorten(chosen) };
  return (
    <Select
      label={label}
      placeholder={text.common.all}
      clearable
      searchable
      value={chosen}
      data={Object.entries(known).map(([value, shown]) => ({ value, label: shown }))}
      onChange={(value) => filters.set({ [name]: value ?? undefined })}
      w={180}
    />
  );
}

export function PartnerFilter({ filters }: { filters: Filters }) {
  return (
    <NameFilter filters={filters} name="partner_id" label={text.common.partner} names={usePartnerNames()} />
  );
}

export function OperatorFilter({ filters }: { filters: Filters }) {
  return (
    <NameFilter
      filters={filters}
      name="operator_id"
      label={text.common.operator}
      names={useOperatorNames()}
    />
  );
}

/** Whose redemptions: one's own, those of no one yet, or those of a colleague. */
export function AssigneeFilter({ filters }: { filters: Filters }) {
  const { filters: labels, assigned } = text.redemptions;
  return (
    <NameFilter
      filters={filters}
      name="assigned_to"
      label={labels.assigned}
      names={{ ...assigned, ...useOperatorNames() }}
    />
  );
}

/** The customer whom an address names, by the partner's own id; chosen elsewhere, and left here. */
export function CustomerFilter({ filters }: { filters: Filters }) {
  const { service_user_id: id } = filters.values;
  const { data } = useQuery({
    queryKey: ['users', 'named', id],
    // The list has no identity data, so that reading it is no entry of the audit log.
    queryFn: () => call(api.GET('/operator/v1/users', { params: { query: { q: id, limit: '1' } } })),
    enabled: id !== undefined,
    staleTime: currentMs,
  });
  if (id === undefined) return null;
  const names = { [id]: data?.users[0]?.user_id ?? shorten(id) };
  return <NameFilter filters={filters} name="service_user_id" label={text.common.customer} names={names} />;
}

export function CityFilter({ filters }: { filters: Filters }) {
  const names = Object.fromEntries(useCatalogue().cities.map((city) => [city, city]));
  return <NameFilter filters={filters} name="city" label={text.common.city} names={names} />;
}

export function ItemFilter({ filters }: { filters: Filters }) {
  return (
    <NameFilter
      filters={filters}
      name="denomination_id"
      label={text.common.item}
      names={Object.fromEntries(
        useCatalogue().items.map(({ id, label: item, city }) => [id, `${item}, ${city}`]),
      )}
    />
  );
}
