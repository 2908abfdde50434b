import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, call, type Schemas } from '../api/client';
import { useChange, useLive } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { Confirm } from '../ui/confirm';
import { shorten, withUnit } from '../ui/format';
import { notifyOutcome } from '../ui/outcome';
import { Amount, Back, Facts, Id, PageHead, Panel, TextLink, Time } from '../ui/parts';
import { Loaded, notifyFailure } from '../ui/states';
import { type RedemptionStatus, StatusBadge } from './redemption-parts';

type Case = Schemas['RedemptionCase'];
type Move = keyof typeof text.redemptions.moves;
const t = text.redemptions;

const isMove = (action: string): action is Move => action in t.moves;

export function RedemptionDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const found = useLive(['redemptions', id], () =>
    call(api.GET('/operator/v1/redemptions/{redemption_id}', { params: { path: { redemption_id: id } } })),
  );
  return (
    <>
      <Back to="/redemptions">{t.title}</Back>
      <Loaded of={found}>{(one) => <Detail one={one} />}</Loaded>
    </>
  );
}

function Detail({ one }: { one: Case }) {
  const { quote } = one;
  return (
    <>
      <PageHead
        title={`${one.denomination}, ${one.city}`}
        lead={
          <Group gap="sm">
            <StatusBadge status={one.status} />
            <Id value={one.redemption_id} head={16} />
          </Group>
        }
      />
      <Steps one={one} />
      <div className="columns">
        <Stack gap="lg">
          <Next one={one} />
          <Panel title={t.history}>
            <History one={one} />
          </Panel>
        </Stack>
        <Stack gap="lg">
          <Panel title={t.facts}>
            <Facts
              rows={[
                [t.weight, <Amount key="w" value={one.weight_g} unit="g" />],
                [t.city, one.city],
                [t.customer, <Id key="u" value={one.service_user_id} head={12} />],
                [t.wallet, <Id key="wa" value={one.wallet_address} />],
                [t.partner, <Id key="p" value={one.partner_id} />],
                [t.created, <Time key="c" at={one.created_at} />],
                [t.updated, <Time key="up" at={one.updated_at} />],
              ]}
            />
          </Panel>
          <Panel title={t.tokensTitle}>
            <Facts
              rows={[
                [t.columns.tokens, <Amount key="t" value={quote.tokens_required} unit="GOLD" />],
                [t.spot, <Amount key="s" value={quote.spot_price_usd} unit="USD" />],
                [t.value, <Amount key="v" value={quote.gold_value_usd} unit="USD" />],
                [t.fee, <Amount key="f" value={quote.fee_usd} unit="USD" />],
                [t.total, <Amount key="to" value={quote.total_usd} unit="USD" />],
                [t.payment, <Id key="pa" value={one.submitted_tx_hash} />],
              ]}
            />
            <Text size="sm" c="dimmed" mt="sm">
              {settlementText(one)}
            </Text>
          </Panel>
        </Stack>
      </div>
    </>
  );
}

const steps = ['submitted', 'preparing', 'ready', 'collected'] as const;

/** How far it has come on its usual way. */
function Steps({ one }: { one: Case }) {
  const reached = steps.indexOf(one.status as (typeof steps)[number]);
  if (reached < 0) return null;
  return (
    <ol className="steps">
      {steps.map((step, index) => (
        <li
          key={step}
          className={index <= reached ? 'done' : ''}
          aria-current={index === reached ? 'step' : undefined}
        >
          {t.steps[step]}
        </li>
      ))}
    </ol>
  );
}

/** The moves that are possible now, and why there is none where there is none. */
function Next({ one }: { one: Case }) {
  const [asked, setAsked] = useState<Move>();
  const moves = one.available_actions.filter(isMove);
  const nothing =
    one.status === 'submitted' && !one.final ? t.notFinal : t.nothingNext[one.status as RedemptionStatus];
  return (
    <Panel title={t.next}>
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
      {one.approval_id ? (
        <Alert color="gold" mb="sm" variant="light">
          {t.pendingApproval} <TextLink to="/approvals">{t.seeApproval}</TextLink>
        </Alert>
      ) : null}
      {moves.length === 0 ? <Text c="dimmed">{nothing}</Text> : null}
      <Group gap="sm">
        {moves.map((move, index) => (
          <Button
            key={move}
            size="md"
            variant={index === 0 ? 'filled' : 'default'}
            onClick={() => setAsked(move)}
          >
            {t.moves[move].label}
          </Button>
        ))}
      </Group>
      {asked ? <MoveDialog move={asked} one={one} onClose={() => setAsked(undefined)} /> : null}
    </Panel>
  );
}

const irreversible = new Set<Move>(['collect', 'cancel', 'refund', 'burn']);

function MoveDialog({ move, one, onClose }: { move: Move; one: Case; onClose: () => void }) {
  const [noGold, setNoGold] = useState(false);
  const [code, setCode] = useState('');
  const words = t.moves[move];
  const path = { redemption_id: one.redemption_id };
  const change = useChange(
    (note: string) => send(move, path, { words: note, code }),
    (result) => {
      onClose();
      notifyOutcome(result, words.done);
    },
  );
  const values = {
    item: one.denomination,
    city: one.city,
    tokens: withUnit(one.quote.tokens_required, 'GOLD'),
  };
  const takesNote = move !== 'refund' && move !== 'burn' && move !== 'reissue-code';
  return (
    <Confirm
      opened
      question={words.question}
      body={fill(words.body, values)}
      action={words.label}
      danger={irreversible.has(move)}
      busy={change.isPending}
      asks={takesNote ? 'note' : undefined}
      disabled={(move === 'cancel' && !noGold) || (move === 'collect' && !/^\d{8}$/.test(code))}
      onClose={onClose}
      onConfirm={(note) =>
        change.mutate(note, {
          onError: (error) => {
            onClose();
            notifyFailure(error);
          },
        })
      }
    >
      {move === 'collect' ? (
        <TextInput
          label={t.pickupCode}
          value={code}
          inputMode="numeric"
          maxLength={8}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => setCode(value)}
        />
      ) : null}
      {move === 'cancel' ? (
        <Checkbox
          label={t.noGold}
          checked={noGold}
          onChange={({ currentTarget: { checked } }) => setNoGold(checked)}
        />
      ) : null}
    </Confirm>
  );
}

function send(
  move: Move,
  path: { redemption_id: string },
  { words, code }: { words: string; code: string },
): Promise<object> {
  const note = words === '' ? {} : { note: words };
  switch (move) {
    case 'prepare':
    case 'ready':
      return call(
        api.POST(`/operator/v1/redemptions/{redemption_id}/${move}`, { params: { path }, body: note }),
      );
    case 'collect':
      return call(
        api.POST('/operator/v1/redemptions/{redemption_id}/collect', {
          params: { path },
          body: { pickup_code: code, ...note },
        }),
      );
    case 'reissue-code':
      return call(
        api.POST('/operator/v1/redemptions/{redemption_id}/reissue-code', { params: { path }, body: {} }),
      );
    case 'cancel':
      return call(
        api.POST('/operator/v1/redemptions/{redemption_id}/cancel', {
          params: { path },
          body: { physical_gold_committed: false, ...note },
        }),
      );
    case 'refund':
    case 'burn':
      return call(
        api.POST(`/operator/v1/redemptions/{redemption_id}/${move}`, { params: { path }, body: {} }),
      );
  }
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
            {fill(t.by, { name: entry.actor_name ?? actorName(entry.actor) })} · <Time at={entry.at} />
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
