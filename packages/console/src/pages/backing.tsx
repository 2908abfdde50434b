import { Text } from '@mantine/core';
import { call } from '../api/client';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { DialogButton, FormDialog } from '../ui/form';
import { formatCount, withUnit } from '../ui/format';
import { Amount, Badge, Facts, Panel, Time } from '../ui/parts';

type BackingView = Schemas['Backing'];
const t = text.treasury.backing;
const a = text.treasury.attest;
const gold = (amount: number) => withUnit(amount, 'GOLD');
const ounces = (amount: number) => withUnit(amount, 'oz');

/** Whether every token is backed, with the sums in words: the first thing to see of the treasury. */
export function Backing({ of }: { of: BackingView }) {
  const administers = useMay('administer');
  return (
    <Panel title={t.title} actions={administers ? <Attest burned={of.burned} /> : null}>
      <Badge tone={of.covered ? 'good' : 'bad'}>{stateOf(of)}</Badge>
      <Text mt="sm">{attestedText(of)}</Text>
      <Text my="xs">{barsText(of)}</Text>
      <Facts
        rows={[
          [t.asOf, <Time key="a" at={of.as_of} />],
          [t.burned, <Amount key="b" value={of.burned} unit="GOLD" />],
          [t.at, <Time key="t" at={of.at} />],
        ]}
      />
    </Panel>
  );
}

function stateOf({ covered, attested_surplus, bars_surplus, as_of }: BackingView): string {
  if (covered) return t.covered;
  if (attested_surplus < 0 || bars_surplus < 0) return t.short;
  return as_of === null ? t.nothing : t.stale;
}

function attestedText({ attested, burned_since, backed, supply, attested_surplus }: BackingView): string {
  return fill(attested_surplus < 0 ? t.attestedShort : t.attested, {
    attested: ounces(attested),
    burned: gold(burned_since),
    backed: gold(backed),
    supply: gold(supply),
    surplus: gold(Math.abs(attested_surplus)),
  });
}

function barsText({ bars, bars_gold, supply, awaiting_burn, bars_surplus }: BackingView): string {
  return fill(bars_surplus < 0 ? t.barsShort : t.bars, {
    count: formatCount(bars),
    gold: ounces(bars_gold),
    supply: gold(supply),
    waiting: gold(awaiting_burn),
    surplus: ounces(Math.abs(bars_surplus)),
  });
}

/** Makes what the attestor signs. An amount that is doubted has to be repeated, as the service says. */
function Attest({ burned }: { burned: number }) {
  return (
    <DialogButton label={a.action} size="xs">
      {(close) => (
        <FormDialog
          title={a.title}
          lead={a.lead}
          action={a.action}
          done={a.done}
          fields={[
            { name: 'amount', label: a.amount, kind: 'number' },
            {
              name: 'burned_at',
              label: a.burned,
              hint: fill(a.burnedHint, { burned: gold(burned) }),
              kind: 'number',
            },
            { name: 'as_of', label: a.asOf, hint: a.asOfHint, optional: true },
            { name: 'report_hash', label: a.report, kind: 'hash' },
            { name: 'confirm', label: a.confirm, hint: a.confirmHint, kind: 'number', optional: true },
          ]}
          submit={({ amount, burned_at, as_of, report_hash, confirm }) =>
            call(
              api.POST('/operator/v1/treasury/attestation', {
                body: {
                  amount: Number(amount),
                  burned_at: Number(burned_at),
                  report_hash: String(report_hash),
                  ...(as_of === '' ? {} : { as_of: String(as_of) }),
                  ...(confirm === '' ? {} : { confirm: Number(confirm) }),
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
