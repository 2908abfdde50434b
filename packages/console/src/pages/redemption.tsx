import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { ActionButton } from '../ui/action';
import { changeWords } from '../ui/change-words';
import { DetailPage } from '../ui/detail-page';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { countryName, documentName, formatTime, humanize, shorten, withUnit } from '../ui/format';
import { PartnerLink } from '../ui/names';
import { Amount, ChainId, Facts, Id, PageHead, Panel, StepList, TextLink, Time, Weight } from '../ui/parts';
import { isOne, usePending, type WaitsFor } from '../ui/waiting';
import { Assignment } from './assignment';
import { MoveDialog } from './move-dialog';
import {
  type Case,
  isMove,
  type Move,
  type RedemptionStatus,
  StatusBadge,
  Waiting,
} from './redemption-parts';

const t = text.redemptions;

export function RedemptionDetail() {
  return (
    <DetailPage
      list="/redemptions"
      title={t.title}
      kind="redemptions"
      read={(id) =>
        call(api.GET('/operator/v1/redemptions/{redemption_id}', { params: { path: { redemption_id: id } } }))
      }
    >
      {(one) => <Detail one={one} />}
    </DetailPage>
  );
}

const printed = new Set<RedemptionStatus>(['ready', 'collected']);

function Detail({ one }: { one: Case }) {
  const fulfils = useMay('fulfil');
  return (
    <>
      <PageHead
        title={`${one.denomination}, ${one.city}`}
        lead={
          <Group gap="sm">
            <StatusBadge status={one.status} />
            {one.age === null || one.age === 'on_time' ? null : <Waiting of={one} />}
            <Id value={one.redemption_id} head={16} />
          </Group>
        }
        actions={
          fulfils && printed.has(one.status) ? (
            <Button
              variant="default"
              component={Link}
              to={`/redemptions/${one.redemption_id}/receipt` as string}
            >
              {t.print.action}
            </Button>
          ) : null
        }
      />
      <Steps one={one} />
      <div className="columns">
        <Stack gap="lg">
          <Next one={one} />
          {one.status === 'ready' ? <Customer one={one} /> : null}
          <Panel title={t.history}>
            <History one={one} />
          </Panel>
        </Stack>
        <Stack gap="lg">
          {one.status === 'ready' ? null : <Customer one={one} />}
          <Details one={one} />
          <Tokens one={one} />
        </Stack>
      </div>
    </>
  );
}

/** For whom the gold is: as much as the role may see, and the whole document only with a reason. */
function Customer({ one }: { one: Case }) {
  const reveals = useMay('read_kyc');
  const { customer } = one;
  if (!customer && !reveals) return null;
  const rows: [string, React.ReactNode][] = customer
    ? [
        [t.name, customer.full_name ?? text.common.none],
        [t.country, countryName(customer.country)],
        [t.document, customer.id_type ? documentName(customer.id_type) : text.common.none],
        [
          t.number,
          <span key="n" className="mono">
            {customer.id_number_masked ?? text.common.none}
          </span>,
        ],
      ]
    : [];
  return (
    <Panel title={t.customer} actions={reveals ? <Reveal one={one} /> : null}>
      <Facts
        rows={[
          ...rows,
          [
            t.userId,
            <TextLink key="u" to={`/users/${one.service_user_id}`}>
              {one.user_id}
            </TextLink>,
          ],
        ]}
      />
    </Panel>
  );
}

function Reveal({ one }: { one: Case }) {
  const [identity, setIdentity] = useState<Schemas['Identity']>();
  if (identity) {
    const rows = Object.entries(identity.kyc_data ?? {}).map(([name, value]): [string, string] => [
      humanize(name),
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]);
    return <Facts rows={rows.length > 0 ? rows : [[t.document, text.common.none]]} />;
  }
  return (
    <DialogButton label={t.reveal.action} size="xs">
      {(close) => (
        <FormDialog
          title={t.reveal.title}
          lead={t.reveal.lead}
          action={t.reveal.action}
          done={t.reveal.done}
          fields={[reasonField]}
          submit={({ reason }) =>
            call(
              api.POST('/operator/v1/redemptions/{redemption_id}/reveal-identity', {
                params: { path: { redemption_id: one.redemption_id } },
                body: { reason: String(reason) },
              }),
            )
          }
          onDone={(result) => setIdentity(result as Schemas['Identity'])}
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

function Details({ one }: { one: Case }) {
  const { bar, pickup } = one;
  return (
    <Panel title={t.facts}>
      <Facts
        rows={[
          [t.weight, <Weight key="w" grams={one.weight_g} />],
          [t.city, one.city],
          [t.bar, bar ? <Id key="b" value={bar.serial} head={16} /> : t.noBar],
          ...(bar ? ([[t.refiner, `${bar.refiner}, ${bar.fineness}`]] as [string, string][]) : []),
          ...(pickup
            ? ([
                [t.code, pickup.locked ? t.codeLocked : fill(t.codeLeft, { count: pickup.attempts_left })],
                [t.codeIssued, <Time key="ci" at={pickup.code_issued_at} />],
              ] as [string, React.ReactNode][])
            : []),
          [t.partner, <PartnerLink key="p" id={one.partner_id} />],
          [t.created, <Time key="c" at={one.created_at} />],
          [t.updated, <Time key="up" at={one.updated_at} />],
        ]}
      />
    </Panel>
  );
}

type Fact = [name: string, value: React.ReactNode];

function Tokens({ one }: { one: Case }) {
  const { quote } = one;
  return (
    <Panel title={t.tokensTitle}>
      <Facts
        rows={[
          [t.columns.tokens, <Amount key="t" value={quote.tokens_required} unit="GOLD" />],
          [t.spot, <Amount key="s" value={quote.spot_price_usd} unit="USD" />],
          [t.value, <Amount key="v" value={quote.gold_value_usd} unit="USD" />],
          [t.fee, <Amount key="f" value={quote.fee_usd} unit="USD" />],
          [t.total, <Amount key="to" value={quote.total_usd} unit="USD" />],
          [t.wallet, <ChainId key="wa" kind="address" value={one.wallet_address} />],
          [t.payment, <ChainId key="pa" kind="tx" value={one.submitted_tx_hash} />],
          ...(one.refund_tx_hash
            ? ([[t.settlement.refund, <ChainId key="re" kind="tx" value={one.refund_tx_hash} />]] as Fact[])
            : []),
          ...(one.burn_due_at
            ? ([
                [t.burn.announcedAt, <Time key="ba" at={one.burn_announced_at} />],
                [t.burn.dueAt, <Time key="bd" at={one.burn_due_at} />],
              ] as Fact[])
            : []),
          ...(one.burn_tx_hash
            ? ([[t.settlement.burn, <ChainId key="bu" kind="tx" value={one.burn_tx_hash} />]] as Fact[])
            : []),
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm">
        {settlementText(one)}
      </Text>
    </Panel>
  );
}

const steps = ['submitted', 'preparing', 'ready', 'collected'] as const;

/** How far it has come on its usual way. */
function Steps({ one }: { one: Case }) {
  const reached = steps.indexOf(one.status as (typeof steps)[number]);
  if (reached < 0) return null;
  return <StepList names={steps.map((step) => t.steps[step])} reached={reached} />;
}

/** The action that a move is in approvals and the audit log. */
const actionOf = (move: Move) => `redemption.${move.replaceAll('-', '_')}`;
const moving: WaitsFor = { action: Object.keys(t.moves).filter(isMove).map(actionOf) };

/** The moves that are possible now, and why there is none where there is none. */
function Next({ one }: { one: Case }) {
  const [asked, setAsked] = useState<Move>();
  const waiting = usePending().filter((approval) =>
    isOne({ ...moving, object: one.redemption_id }, approval),
  );
  const waits = new Set(waiting.map(({ action }) => action));
  const moves = one.available_actions.filter(isMove).filter((move) => !waits.has(actionOf(move)));
  const nothing = one.status === 'submitted' && !one.final ? t.notFinal : t.nothingNext[one.status];
  return (
    <Panel title={t.next}>
      <Assignment one={one} />
      {one.cancellation_reason ? (
        <Text mb="sm">
          {t.cancellationReason}: “{one.cancellation_reason}”
        </Text>
      ) : null}
      {one.failure_reason ? (
        <Text mb="sm">
          {t.failureReason}: {one.failure_reason}
        </Text>
      ) : null}
      {waiting.map((approval) => (
        <Alert key={approval.approval_id} color="gold" mb="sm" variant="light" title={text.common.waits}>
          {changeWords(approval).sentences.join(' ')} <TextLink to="/approvals">{t.seeApproval}</TextLink>
        </Alert>
      ))}
      {one.burn_due_at && one.burn_tx_hash === null ? (
        <Alert color="gold" mb="sm" variant="light">
          {fill(t.burn.due, { time: formatTime(one.burn_due_at) })}
        </Alert>
      ) : null}
      {one.status === 'ready' && one.pickup?.locked ? (
        <Alert color="red" mb="sm" variant="light" role="alert">
          {t.lockedBody}
        </Alert>
      ) : null}
      {moves.length === 0 && waiting.length === 0 ? <Text c="dimmed">{nothing}</Text> : null}
      <Group gap="sm">
        {moves.map((move, index) => (
          <ActionButton
            key={move}
            size="md"
            variant={index === 0 ? 'filled' : 'default'}
            onClick={() => setAsked(move)}
          >
            {t.moves[move].label}
          </ActionButton>
        ))}
      </Group>
      {asked ? <MoveDialog move={asked} one={one} onClose={() => setAsked(undefined)} /> : null}
    </Panel>
  );
}

function settlementText({ settlement }: Case): string {
  if (!settlement) return t.settlement.none;
  const state = fill(t.settlement[settlement.status], { reason: settlement.failure_reason ?? '' });
  return `${t.settlement[settlement.kind]}: ${withUnit(settlement.amount, 'GOLD')}, ${state}`;
}

function History({ one }: { one: Case }) {
  return (
    <ol className="history">
      {[...one.history].reverse().map((entry) => (
        <li key={`${entry.at} ${entry.to}`}>
          <strong>{entry.from === null ? t.paid : t.status[entry.to]}</strong>{' '}
          <span className="dimmed">
            {/* It was paid by the customer; what has seen the payment matters to no one. */}
            {entry.from === null
              ? ''
              : `${fill(t.by, { name: entry.actor_name ?? actorName(entry.actor) })} · `}
            <Time at={entry.at} />
          </span>
          {entry.note ? <p>{entry.note}</p> : null}
        </li>
      ))}
    </ol>
  );
}

function actorName(actor: string): string {
  if (actor === 'indexer') return t.actors.indexer;
  return actor.startsWith('key:') ? t.actors.partner : shorten(actor, 16);
}
