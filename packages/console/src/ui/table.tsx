import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { text } from '../text';
import { fill } from '../text/en';
import { formatCount } from './format';
import { Empty, Failure, Loading } from './states';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Figures are set at the right. */
  right?: boolean;
  /** Left out on narrow screens. */
  wide?: boolean;
}

/** What is said where there are no rows, and what comes next. */
export interface Nothing {
  title: string;
  body?: string;
  action?: ReactNode;
}

/** A page of a list; the first one may have how many rows there are. */
export interface CountedPage {
  next_cursor: string | null;
  total?: { count: number; more: boolean } | undefined;
}

interface PagesProps<Row, Page> {
  of: UseInfiniteQueryResult<{ pages: Page[] }>;
  rows: (page: Page) => Row[];
  empty: Nothing;
}

/** The pages of a list that were read, as one; below them a button for the next page. */
export function Pages<Row, Page extends CountedPage>({
  of,
  rows,
  empty,
  children,
}: PagesProps<Row, Page> & { children: (rows: Row[]) => ReactNode }) {
  if (of.error && !of.data) return <Failure error={of.error} retry={() => void of.refetch()} />;
  if (!of.data) return <Loading />;
  const all = of.data.pages.flatMap(rows);
  if (all.length === 0) return <Empty {...empty} />;
  return (
    <>
      {children(all)}
      {of.hasNextPage ? (
        <Button
          variant="default"
          mt="md"
          loading={of.isFetchingNextPage}
          onClick={() => void of.fetchNextPage()}
        >
          {moreOf(all.length, of.data.pages[0]?.total)}
        </Button>
      ) : null}
    </>
  );
}

/** How many rows are shown, and of how many. */
export function moreOf(count: number, total: CountedPage['total']): string {
  const { more, moreOf, moreOfMany } = text.common;
  if (!total) return fill(more, { count });
  return fill(total.more ? moreOfMany : moreOf, { count, total: formatCount(total.count) });
}

export interface TableProps<Row> {
  label: string;
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  /** Where a row leads: the whole row is the link of its first cell. */
  href?: ((row: Row) => string) | undefined;
}

/** A part of a page that is a list, without filters. */
export function Rows<Row, Page extends CountedPage>({
  of,
  rows,
  empty,
  ...table
}: PagesProps<Row, Page> & TableProps<Row>) {
  return (
    <Pages of={of} rows={rows} empty={empty}>
      {(all) => <Table rows={all} {...table} />}
    </Pages>
  );
}

/** A table, which becomes cards on narrow screens. */
export function Table<Row>({ label, rows, columns, keyOf, href }: TableProps<Row> & { rows: Row[] }) {
  const classOf = ({ right, wide }: Column<Row>) =>
    [right && 'right', wide && 'wide'].filter(Boolean).join(' ');
  return (
    <table className="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.header} scope="col" className={classOf(column)}>
              {column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className={href ? 'linked' : undefined}>
            {columns.map((column, index) => (
              <td key={column.header} data-label={column.header} className={classOf(column)}>
                {href && index === 0 ? (
                  <Link to={href(row)} className="row-link">
                    {column.cell(row)}
                  </Link>
                ) : (
                  column.cell(row)
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
