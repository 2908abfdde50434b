import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { statements as t } from '../text/portal/statements';
import { Amount, Badge, Facts, PageHead, Panel, Time } from '../ui/parts';
import { Loaded } from '../ui/states';
import { Table } from '../ui/table';
import { api, type Schemas } from './api';

type Statement = Schemas['AccountStatement'];
const formats = ['pdf', 'csv', 'json'] as const;

export function Statements() {
  const partner = useLive(['partner', 'own'], () => call(api.GET('/v1/me')));
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Panel>
        <Loaded of={partner}>{({ created_at }) => <Months since={created_at} />}</Loaded>
      </Panel>
    </>
  );
}

function Months({ since }: { since: string }) {
  const [opened, setOpened] = useState<string>();
  const [running] = monthsSince(since, new Date());
  return (
    <>
      <Table
        rows={monthsSince(since, new Date())}
        label={t.title}
        keyOf={(month) => month}
        columns={[
          { header: t.columns.month, cell: (month) => <strong>{nameOf(month)}</strong> },
          {
            header: t.columns.status,
            cell: (month) => (
              <Badge tone={month === running ? 'calm' : 'good'}>
                {month === running ? t.running : t.final}
              </Badge>
            ),
          },
          {
            header: t.columns.files,
            cell: (month) => (
              <Group gap="xs">
                <Button size="xs" variant="default" onClick={() => setOpened(month)}>
                  {t.open}
                </Button>
                {formats.map((format) => (
                  <Button
                    key={format}
                    size="xs"
                    variant="subtle"
                    component="a"
                    href={`/v1/statements?month=${month}&format=${format}`}
                    download={`statement-${month}.${format}`}
                    aria-label={fill(t.download, { format: t.file[format], month: nameOf(month) })}
                  >
                    {t.file[format]}
                  </Button>
                ))}
              </Group>
            ),
          },
        ]}
      />
      {opened ? (
        <Modal
          opened
          size="lg"
          title={nameOf(opened)}
          onClose={() => setOpened(undefined)}
          closeButtonProps={{ 'aria-label': text.common.close }}
        >
          <Opened month={opened} />
        </Modal>
      ) : null}
    </>
  );
}

function Opened({ month }: { month: string }) {
  const found = useLive(['statements', month], () =>
    call(api.GET('/v1/statements', { params: { query: { month, format: 'json' } } })),
  );
  return <Loaded of={found}>{(statement) => <Summary statement={statement as Statement} />}</Loaded>;
}

const Balance = ({ of: { gold, usdc } }: { of: { gold: number; usdc: number } }) => (
  <>
    <Amount value={gold} unit="GOLD" /> · <Amount value={usdc} unit="USDC" />
  </>
);

function Summary({ statement }: { statement: Statement }) {
  const { number, provisional, corrects, totals, difference, causes } = statement;
  const isExact = difference.gold === 0 && difference.usdc === 0 && causes.length === 0;
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Badge tone={provisional ? 'calm' : 'good'}>
          {provisional ? t.provisional : fill(t.number, { number: number ?? 0 })}
        </Badge>
        {provisional ? <Text size="sm">{t.provisionalBody}</Text> : null}
        {corrects === null ? null : <Text size="sm">{fill(t.corrects, { number: corrects })}</Text>}
      </Group>
      <Facts
        rows={[
          [t.issued, <Time key="i" at={statement.issued_at} />],
          [t.opening, <Balance key="o" of={statement.opening} />],
          [t.totals, <Balance key="t" of={totals} />],
          [t.closing, <Balance key="c" of={statement.closing} />],
          [t.fees, <Amount key="f" value={totals.fee_usd} unit="USD" />],
          [t.lines, totals.lines],
          [t.difference, isExact ? t.explained : <Balance key="d" of={difference} />],
        ]}
      />
      {causes.map((cause) => (
        <Alert key={cause} color="yellow" variant="light" role="status">
          {cause}
        </Alert>
      ))}
      {provisional ? null : (
        <Text size="sm" c="dimmed">
          {t.verifyBody}{' '}
          <a href="/papers/verify" target="_blank" rel="noreferrer" className="text-link">
            {t.verify}
          </a>
        </Text>
      )}
    </Stack>
  );
}

/** Returns the months of UTC from one time to another, the latest first, as `2026-11`. */
export function monthsSince(since: string, now: Date): string[] {
  const months: string[] = [];
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  for (const first = since.slice(0, 7); ; at.setUTCMonth(at.getUTCMonth() - 1)) {
    const month = at.toISOString().slice(0, 7);
    if (month < first) return months;
    months.push(month);
  }
}

const names = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const nameOf = (month: string) => names.format(new Date(`${month}-01T00:00:00Z`));
