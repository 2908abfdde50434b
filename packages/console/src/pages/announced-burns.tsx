import { Text } from '@mantine/core';
import { call } from '../api/client';
import { readAll, useLive } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { shorten, withUnit } from '../ui/format';
import { Amount, Panel, TextLink, Time } from '../ui/parts';
import { Loaded } from '../ui/states';
import { Table } from '../ui/table';

const t = text.treasury.burns;
type Redemption = Schemas['Redemption'];

/** The burns that are announced, soonest first, each with what takes it back. */
export function AnnouncedBurns() {
  const cancels = useMay('fulfil');
  const query = { status: 'collected', settled: 'false', order: 'asc', limit: '100' } as const;
  const found = useLive(['redemptions', 'announced'], () =>
    readAll((cursor) =>
      call(api.GET('/operator/v1/redemptions', { params: { query: { ...query, cursor } } })),
    ),
  );
  const columns = [
    {
      header: t.columns.redemption,
      cell: ({ redemption_id: id }: Redemption) => (
        <TextLink to={`/redemptions/${id}`}>{shorten(id, 12)}</TextLink>
      ),
    },
    {
      header: t.columns.tokens,
      right: true,
      cell: ({ quote }: Redemption) => <Amount value={quote.tokens_required} unit="GOLD" />,
    },
    {
      header: t.columns.announced,
      wide: true,
      cell: ({ burn_announced_at: at }: Redemption) => <Time at={at} />,
    },
    { header: t.columns.due, cell: ({ burn_due_at: at }: Redemption) => <Time at={at} /> },
  ];
  const change = { header: t.columns.change, cell: (one: Redemption) => <CancelBurn one={one} /> };
  return (
    <Panel title={t.title}>
      <Loaded of={found}>
        {(pages) => {
          const rows = announced(pages.flatMap(({ redemptions }) => redemptions));
          if (rows.length === 0) return <Text c="dimmed">{t.none}</Text>;
          return (
            <Table
              label={t.title}
              rows={rows}
              columns={cancels ? [...columns, change] : columns}
              keyOf={({ redemption_id: id }) => id}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}

function announced(redemptions: Redemption[]): Redemption[] {
  const dueOf = ({ burn_due_at: at }: Redemption) => Date.parse(at ?? '');
  return redemptions
    .filter(({ burn_due_at: at }) => at !== null)
    .sort((one, other) => dueOf(one) - dueOf(other));
}

/** Takes an announcement back, with the reason. */
function CancelBurn({ one }: { one: Redemption }) {
  const words = text.redemptions.moves['cancel-burn'];
  return (
    <DialogButton label={words.label} size="xs">
      {(close) => (
        <FormDialog
          title={words.question}
          lead={fill(words.body, { tokens: withUnit(one.quote.tokens_required, 'GOLD') })}
          action={words.label}
          done={words.done}
          danger
          keep={text.common.keep}
          fields={[reasonField]}
          submit={({ reason }) =>
            call(
              api.POST('/operator/v1/redemptions/{redemption_id}/burn/cancel', {
                params: { path: { redemption_id: one.redemption_id } },
                body: { reason: String(reason) },
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}
