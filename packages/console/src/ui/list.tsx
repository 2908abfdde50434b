import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRows } from '../api/live';
import { surface } from '../api/surface';
import { text } from '../text';
import { CsvButton, commonQuery, DateFilter, FilterBar, type Filters, SaveRows, TextFilter } from './filters';
import { type CountedPage, type Nothing, Pages, Table, type TableProps } from './table';
import { isViewList, SavedViews } from './views';

type Query = Record<string, string | undefined>;

/** What every list of the API takes besides its own filters. */
interface Common {
  q?: string | undefined;
  created_from?: string | undefined;
  created_to?: string | undefined;
  cursor?: string | undefined;
  limit: string;
  total?: 'true' | undefined;
}

interface Props<Own extends Query, Page, Row> {
  filters: Filters;
  /** Path of the list below the base of its API; what is read again when such things change begins with its first part. */
  path: string;
  /** The filters of this list alone, as the API takes them. */
  query: Own;
  read: (query: Own & Common) => Promise<Page>;
  rows: (page: Page) => Row[];
  empty: Nothing;
  /** Without a search: where nothing but ids and dates could be found. */
  unsearched?: boolean | undefined;
  /** Neither searched nor cut by dates: its rows have no time. */
  timeless?: boolean | undefined;
  /** The choices between the search and the dates. */
  children?: ReactNode;
}

/**
 * A list of the API: its filters, which are the query of the page's address, its rows page by page, and all of them as
 * CSV.
 */
export function Listing<Own extends Query, Page extends CountedPage, Row>({
  filters,
  path,
  query,
  read,
  rows,
  show,
  empty,
  unsearched,
  timeless,
  children,
}: Props<Own, Page, Row> & { show: (rows: Row[]) => ReactNode }) {
  const all = { ...commonQuery(timeless ? {} : filters.values), ...query };
  const list = useRows([...path.split('/'), 'list', all], (cursor) =>
    // The first page has the total.
    read({
      ...all,
      cursor,
      limit: '50',
      total: cursor === undefined && surface().lists.count ? 'true' : undefined,
    }),
  );
  return (
    <>
      {timeless ? (
        <CsvBar path={path} query={all} />
      ) : (
        <ListFilters
          filters={filters}
          path={path}
          query={all}
          unsearched={unsearched}
          end={
            surface().lists.csv ? undefined : (
              <SaveRows
                name={path}
                read={(cursor) => read({ ...all, cursor, limit: '100' })}
                rows={(page) => rows(page) as object[]}
              />
            )
          }
        >
          {children}
        </ListFilters>
      )}
      <Pages of={list} rows={rows} empty={empty}>
        {show}
      </Pages>
    </>
  );
}

/** Search, choices and dates of a list, and what they leave as CSV. */
export function ListFilters({
  filters,
  path,
  query,
  unsearched,
  end,
  children,
}: Pick<Props<Query, never, never>, 'filters' | 'path' | 'query' | 'unsearched' | 'children'> & {
  end?: ReactNode;
}) {
  const first = unsearched ? null : (
    <TextFilter filters={filters} name="q" label={text.searched[path] ?? text.common.search} width={220} />
  );
  return (
    <>
      {surface().lists.keepViews && isViewList(path) ? <SavedViews list={path} filters={filters} /> : null}
      <FilterBar
        filters={filters}
        first={first}
        end={end ?? <CsvButton path={`${surface().base}/${path}`} query={query} />}
      >
        {children}
        <DateFilter filters={filters} name="created_from" label={text.common.from} />
        <DateFilter filters={filters} name="created_to" label={text.common.to} />
      </FilterBar>
    </>
  );
}

/** The rows of a table without filters as CSV. */
export function CsvBar({ path, query = {} }: { path: string; query?: Query }) {
  return (
    <Group justify="flex-end" mb="lg">
      <CsvButton path={`${surface().base}/${path}`} query={query} />
    </Group>
  );
}

/** The same as a table. */
export function List<Own extends Query, Page extends CountedPage, Row>({
  label,
  columns,
  keyOf,
  href,
  ...list
}: Props<Own, Page, Row> & TableProps<Row>) {
  return (
    <Listing
      {...list}
      show={(rows) => <Table rows={rows} label={label} columns={columns} keyOf={keyOf} href={href} />}
    />
  );
}
