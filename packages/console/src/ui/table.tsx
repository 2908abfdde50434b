import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { text } from '../text';
import { Empty, Failure, Loading } from './states';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Figures are set at the right. */
  right?: boolean;
  /** Left out on narrow screens. */
  wide?: boolean;
}

interface Props<Row, Page> {
  label: string;
  of: UseInfiniteQueryResult<{ pages: Page[] }>;
  rows: (page: Page) => Row[];
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  /** Where a row leads: the whole row is the link of its first cell. */
  href?: (row: Row) => string;
  empty: { title: string; body?: string; action?: ReactNode };
}

/** A list of the API: its rows as a table, which becomes cards on narrow screens, and a button for the next page. */
export function Rows<Row, Page>({ label, of, rows, columns, keyOf, href, empty }: Props<Row, Page>) {
  if (of.error && !of.data) return <Failure error={of.error} retry={() => void of.refetch()} />;
  if (!of.data) return <Loading />;
  const all = of.data.pages.flatMap(rows);
  if (all.length === 0) return <Empty {...empty} />;
  return (
    <>
      <Table label={label} rows={all} columns={columns} keyOf={keyOf} href={href} />
      {of.hasNextPage ? (
        <Button
          variant="default"
          mt="md"
          loading={of.isFetchingNextPage}
          onClick={() => void of.fetchNextPage()}
        >
          {text.common.more}
        </Button>
      ) : null}
    </>
  );
}

export function Table<Row>({
  label,
  rows,
  columns,
  keyOf,
  href,
}: {
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  href?: (row: Row) => string;
}) {
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
