import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../api/client';
import { readAll } from '../api/live';
import { text } from '../text';
import type { Filters } from './filters';
import { shorten } from './format';
import { TextLink } from './parts';

/** How long names count as current: a change of a partner has them read again anyway. */
const currentMs = 300_000;

/** The names of all partners, by id; there are few. */
export function usePartnerNames() {
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

/** The name of a partner, which leads to its page; its id where there is no name. */
export function PartnerLink({ id }: { id: string }) {
  return <TextLink to={`/partners/${id}`}>{usePartnerNames()?.[id] ?? shorten(id)}</TextLink>;
}

/** A choice among partners by name. */
export function PartnerFilter({ filters }: { filters: Filters }) {
  const names = usePartnerNames() ?? {};
  const chosen = filters.values.partner_id ?? null;
  const known = chosen === null || chosen in names ? names : { ...names, [chosen]: shorten(chosen) };
  return (
    <Select
      label={text.common.partner}
      placeholder={text.common.all}
      clearable
      searchable
      value={chosen}
      // Two partners may have the same name.
      data={Object.entries(known).map(([value, label]) => ({ value, label }))}
      onChange={(value) => filters.set({ partner_id: value ?? undefined })}
      w={180}
    />
  );
}
