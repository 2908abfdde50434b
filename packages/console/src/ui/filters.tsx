import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { findRows } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { formatCsv } from './csv';
import { notifyFailure } from './states';

/** The filters of a page, which are the query of its address. */
export function useFilters() {
  const values = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const set = (changes: Record<string, string | undefined>) => {
    const merged = { ...values, ...changes };
    const search = Object.fromEntries(Object.entries(merged).filter(([, value]) => value));
    void navigate({ to: '.', search: search as Record<string, string>, replace: true });
  };
  return { values, set };
}

export type Filters = ReturnType<typeof useFilters>;

/** Opens what the search has led to, once: the address then no longer names it. */
export function useAct(act: string | undefined, open: () => void) {
  const { values, set } = useFilters();
  const isAsked = act !== undefined && values.act === act;
  useEffect(() => {
    if (!isAsked) return;
    open();
    set({ act: undefined });
  }, [isAsked]);
}

/** A choice among few values. */
export function Choice({
  filters,
  name,
  label,
  options,
  without = text.common.all,
}: {
  filters: Filters;
  name: string;
  label: string;
  options: Record<string, string>;
  /** What is shown without a choice. */
  without?: string;
}) {
  return (
    <Select
      label={label}
      placeholder={without}
      clearable
      value={filters.values[name] ?? null}
      data={Object.entries(options).map(([value, shown]) => ({ value, label: shown }))}
      searchable={Object.keys(options).length > 8}
      onChange={(value) => filters.set({ [name]: value ?? undefined })}
      w={180}
    />
  );
}

/** Text to look for; the address follows when typing pauses. */
export function TextFilter({
  filters,
  name,
  label,
  width = 180,
}: {
  filters: Filters;
  name: string;
  label: string;
  width?: number;
}) {
  const current = filters.values[name] ?? '';
  const [typed, setTyped] = useState(current);
  useEffect(() => setTyped(current), [current]);
  const apply = useDebouncedCallback((value: string) => filters.set({ [name]: value || undefined }), 300);
  return (
    <TextInput
      label={label}
      value={typed}
      w={width}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        apply(value.trim());
      }}
    />
  );
}

/** The filters of a list in a row; at its end, what is done with all that they leave. */
export function FilterBar({
  filters,
  first,
  end,
  children,
}: {
  filters: Filters;
  /** What is shown also where the others are folded away, which is on phones. */
  first?: React.ReactNode;
  end?: React.ReactNode;
  children: React.ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  const used = Object.keys(filters.values).filter((name) => !ways.has(name));
  const folded = used.filter((name) => name !== 'q').length;
  return (
    <Group align="flex-end" gap="sm" mb="lg" role="search" className={`filters${opened ? ' opened' : ''}`}>
      {first}
      <Button
        variant="default"
        className="filters-fold"
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
      >
        {folded > 0 ? fill(text.common.filtersUsed, { count: folded }) : text.common.filters}
      </Button>
      <div className="filters-more">{children}</div>
      {used.length > 0 ? (
        <Button
          variant="subtle"
          onClick={() => filters.set(Object.fromEntries(used.map((name) => [name, undefined])))}
        >
          {text.common.clear}
        </Button>
      ) : null}
      {end ? <div className="filters-end">{end}</div> : null}
    </Group>
  );
}

/** Parts of an address that say how a list is shown, and take nothing from it. */
export const ways = new Set(['tab', 'view']);

export function DateFilter({ filters, name, label }: { filters: Filters; name: string; label: string }) {
  return (
    <TextInput
      type="date"
      label={label}
      w={150}
      value={filters.values[name] ?? ''}
      onChange={({ currentTarget: { value } }) => filters.set({ [name]: value || undefined })}
    />
  );
}

/** The search and the time of a list as the API takes them: days are those of the viewer's zone. */
export function commonQuery({ q, created_from: from, created_to: to }: Record<string, string | undefined>) {
  return {
    q,
    created_from: from && new Date(`${from}T00:00:00`).toISOString(),
    created_to: to && new Date(`${to}T23:59:59.999`).toISOString(),
  };
}

/** A table ends here, whatever there is behind. */
const maxRows = 10_000;

/** Saves the rows that match the filters, where the API does not write them as CSV: page by page. */
export function SaveRows<Page extends { next_cursor: string | null }>({
  name,
  read,
  rows,
}: {
  name: string;
  read: (cursor: string | undefined) => Promise<Page>;
  rows: (page: Page) => object[];
}) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const all = await findRows(read, rows, () => true, maxRows);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([formatCsv(all)], { type: 'text/csv' }));
      link.download = `${name}.csv`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      notifyFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="default" loading={busy} onClick={() => void save()}>
      {text.common.csv}
    </Button>
  );
}

/** Saves every row that matches the filters, as the API writes it. */
export function CsvButton({ path, query }: { path: string; query: Record<string, string | undefined> }) {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams([...given, ['format', 'csv']]);
  return (
    <Button
      variant="default"
      component="a"
      href={`${path}?${search}`}
      download={`${path.split('/').at(-1)}.csv`}
    >
      {text.common.csv}
    </Button>
  );
}
