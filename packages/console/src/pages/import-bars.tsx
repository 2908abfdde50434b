import { Alert, Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { readAll, useChange, useLive } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { ActionButton, ChangeState } from '../ui/action';
import { parseCsv } from '../ui/csv';
import { notifyOutcome } from '../ui/outcome';
import { Back, Badge, PageHead, Panel, TextLink, Weight } from '../ui/parts';
import { Table } from '../ui/table';

const t = text.stock.import;
type NewBar = Extract<Schemas['AddBarsRequest'], { bars: unknown }>['bars'][number];

const columns = ['serial', 'refiner', 'fineness', 'weight_g', 'denomination_id', 'city'] as const;
const example = `${columns.join(',')}\nPK-000123,PAMP,999.9,10,pk_g_10,Lahore`;
const maxBars = 500;

/** A line of the file: the bar, and what is wrong with it. */
interface Line {
  number: number;
  bar: NewBar;
  problem: string | undefined;
}

/** Reads a file; a line that cannot be a bar says why. */
function readLines(file: string, denominations: Schemas['Denomination'][]): Line[] | string {
  const [head = [], ...rows] = parseCsv(file);
  const names = head.map((name) => name.toLowerCase());
  const missing = columns.filter((name) => !names.includes(name));
  if (missing.length > 0) return fill(t.missingColumns, { columns: missing.join(', ') });
  if (rows.length === 0) return t.noRows;
  if (rows.length > maxBars) return fill(t.tooMany, { count: rows.length });
  const seen = new Set<string>();
  return rows.map((row, index) => {
    const of = (name: (typeof columns)[number]) => row[names.indexOf(name)] ?? '';
    const bar = {
      serial: of('serial'),
      refiner: of('refiner'),
      fineness: Number(of('fineness')),
      weight_g: Number(of('weight_g')),
      denomination_id: of('denomination_id'),
      city: of('city'),
    };
    const key = `${bar.serial}\n${bar.refiner}`;
    const known = denominations.find(({ id }) => id === bar.denomination_id);
    const problem = [
      (!bar.serial || !bar.refiner || !bar.city) && t.emptyCell,
      !(bar.fineness > 0) && t.badFineness,
      !(bar.weight_g > 0) && t.badWeight,
      !known && fill(t.unknownItem, { id: bar.denomination_id }),
      known && known.city.toLowerCase() !== bar.city.toLowerCase() && fill(t.otherCity, { city: known.city }),
      seen.has(key) && t.twice,
    ].find((one) => typeof one === 'string');
    seen.add(key);
    return { number: index + 2, bar, problem: problem || undefined };
  });
}

/** The lines with what the service would refuse of those that look right, such as bars that are there already. */
function useChecked(lines: Line[]): { read: Line[]; checking: boolean } {
  const bars = lines.flatMap(({ bar, problem }) => (problem ? [] : [bar]));
  const written = JSON.stringify(bars);
  const [settled] = useDebouncedValue(written, 300);
  const check = useQuery({
    queryKey: ['bars', 'check', settled],
    enabled: settled !== '[]',
    queryFn: () => call(api.POST('/operator/v1/bars/check', { body: { bars: JSON.parse(settled) } })),
  });
  const checking = written !== settled || check.isFetching;
  const messages = new Map<NewBar | undefined, string>(
    written === settled ? check.data?.refused.map(({ index, message }) => [bars[index], message]) : [],
  );
  const read = lines.map((line) => ({ ...line, problem: line.problem ?? messages.get(line.bar) }));
  return { read, checking };
}

/** What came of an import: the bars that are stored or wait, and those that were refused. */
interface Outcome {
  waits: boolean;
  serials: string[];
  refused: Schemas['RefusedBar'][];
}

function Stored({ outcome: { waits, serials, refused } }: { outcome: Outcome }) {
  return (
    <>
      {serials.length > 0 ? (
        <Alert mt="lg" role="status" title={fill(waits ? t.wait : t.done, { count: serials.length })}>
          <Text size="sm" mb={4}>
            {serials.join(', ')}
          </Text>
          {waits ? (
            <TextLink to="/approvals">{text.redemptions.seeApproval}</TextLink>
          ) : (
            <TextLink to="/stock" search={{ tab: 'bars' }}>
              {t.seeBars}
            </TextLink>
          )}
        </Alert>
      ) : null}
      {refused.length > 0 ? (
        <Alert color="red" mt="lg" role="alert" title={fill(t.refused, { count: refused.length })}>
          {refused.map(({ index, serial, message }) => (
            <Text key={index} size="sm">
              {serial}: {message}
            </Text>
          ))}
        </Alert>
      ) : null}
    </>
  );
}

export function ImportBars() {
  const [file, setFile] = useState('');
  const [outcome, setOutcome] = useState<Outcome>();
  const catalogue = useLive(['denominations', 'all'], () =>
    readAll((cursor) =>
      call(api.GET('/operator/v1/denominations', { params: { query: { cursor, limit: '100' } } })),
    ),
  );
  const denominations = catalogue.data?.flatMap((page) => page.denominations) ?? [];
  const lines = file.trim() === '' ? undefined : readLines(file, denominations);
  const { read, checking } = useChecked(Array.isArray(lines) ? lines : []);
  const good = read.filter(({ problem }) => !problem);
  const change = useChange(
    (bars: NewBar[]) => call(api.POST('/operator/v1/bars', { body: { bars } })),
    (result, sent) => {
      const stored = 'bars' in result ? result.bars : undefined;
      notifyOutcome(result, fill(t.done, { count: stored?.length ?? 0 }));
      const lost = new Set(result.refused.map(({ index }) => index));
      const names = (stored ?? sent.filter((_, index) => !lost.has(index))).map(({ serial }) => serial);
      setOutcome({ waits: stored === undefined, serials: names, refused: result.refused });
      setFile('');
    },
  );
  return (
    <>
      <Back to="/stock">{text.stock.title}</Back>
      <PageHead title={t.title} lead={t.lead} />
      <Panel title={t.file}>
        <Group mb="sm">
          <FileButton
            accept=".csv,text/csv,text/plain"
            onChange={(chosen) => void chosen?.text().then(setFile)}
          >
            {(props) => (
              <Button variant="default" {...props}>
                {t.choose}
              </Button>
            )}
          </FileButton>
          <Button variant="subtle" onClick={() => setFile(example)}>
            {t.example}
          </Button>
        </Group>
        <Textarea
          label={t.paste}
          description={fill(t.columns, { columns: columns.join(', ') })}
          value={file}
          autosize
          minRows={4}
          maxRows={12}
          className="mono-input"
          onChange={({ currentTarget: { value } }) => setFile(value)}
        />
        {typeof lines === 'string' ? (
          <Alert color="red" mt="md" role="alert">
            {lines}
          </Alert>
        ) : null}
      </Panel>
      {outcome ? <Stored outcome={outcome} /> : null}
      {read.length > 0 ? (
        <section className="preview">
          <Group justify="space-between" my="lg">
            <Text fw={600} role="status">
              {checking ? t.checking : fill(t.summary, { good: good.length, bad: read.length - good.length })}
            </Text>
            <ActionButton
              disabled={good.length === 0 || checking}
              loading={change.isPending}
              onClick={() => change.mutate(good.map(({ bar }) => bar))}
            >
              {fill(t.submit, { count: good.length })}
            </ActionButton>
          </Group>
          <ChangeState error={change.error} busy={change.isPending} />
          <Table
            label={t.preview}
            rows={read}
            keyOf={({ number }) => String(number)}
            columns={[
              { header: t.line, cell: ({ number }) => number },
              { header: text.stock.columns.serial, cell: ({ bar }) => bar.serial },
              { header: text.stock.columns.refiner, cell: ({ bar }) => bar.refiner },
              { header: text.stock.columns.item, cell: ({ bar }) => bar.denomination_id },
              { header: text.stock.columns.city, cell: ({ bar }) => bar.city },
              {
                header: text.stock.columns.weight,
                right: true,
                cell: ({ bar }) => <Weight grams={bar.weight_g || null} />,
              },
              {
                header: t.check,
                cell: ({ problem }) => <Badge tone={problem ? 'bad' : 'good'}>{problem ?? t.ok}</Badge>,
              },
            ]}
          />
        </section>
      ) : null}
    </>
  );
}
