import { Checkbox, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError, api, call } from '../api/client';
import { useChange, useLive } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { Confirm } from '../ui/confirm';
import { withUnit } from '../ui/format';
import { notifyOutcome } from '../ui/outcome';
import { explain, notifyFailure } from '../ui/states';
import type { Case, Move } from './redemption-parts';

const t = text.redemptions;

const irreversible = new Set<Move>(['collect', 'cancel', 'refund', 'burn']);
const noted = new Set<Move>(['prepare', 'ready', 'collect', 'cancel']);

/** What a move takes besides a note. */
interface Extras {
  bar: Partial<Record<'bar_serial' | 'bar_refiner', string>>;
  code: string;
  withoutCode: boolean;
}

/** Says what a move will do, takes what it needs, and does it. */
export function MoveDialog({ move, one, onClose }: { move: Move; one: Case; onClose: () => void }) {
  const [noGold, setNoGold] = useState(false);
  const [extras, setExtras] = useState<Extras>({ bar: {}, code: '', withoutCode: false });
  const words = t.moves[move];
  const change = useChange(
    (note: string) => send(move, one.redemption_id, note, extras),
    (result) => {
      onClose();
      notifyOutcome(result, words.done);
    },
  );
  const { error } = change;
  const wrongCode = error instanceof ApiError && error.field === 'pickup_code';
  const collects = move === 'collect';
  const asks = collects && extras.withoutCode ? 'reason' : noted.has(move) ? 'note' : undefined;
  const item = one.bar ? `${one.denomination} (${one.bar.serial})` : one.denomination;
  const tokens = withUnit(one.quote.tokens_required, 'GOLD');
  return (
    <Confirm
      opened
      question={words.question}
      body={fill(words.body, { item, city: one.city, tokens })}
      action={words.label}
      danger={irreversible.has(move)}
      busy={change.isPending}
      asks={asks}
      disabled={
        (move === 'cancel' && !noGold) || (collects && !extras.withoutCode && !/^\d{8}$/.test(extras.code))
      }
      onClose={onClose}
      onConfirm={(note) =>
        change.mutate(note, {
          onError: (failure) => {
            if (collects && failure instanceof ApiError && failure.status === 400) return;
            onClose();
            notifyFailure(failure);
          },
        })
      }
    >
      {move === 'cancel' ? (
        <Checkbox
          label={t.noGold}
          checked={noGold}
          onChange={({ currentTarget: { checked } }) => setNoGold(checked)}
        />
      ) : null}
      {['prepare', 'ready', 'collect'].includes(move) && !one.bar ? (
        <BarChoice one={one} choose={(bar) => setExtras({ ...extras, bar })} />
      ) : null}
      {collects ? (
        <>
          {extras.withoutCode ? null : (
            <TextInput
              label={t.code}
              description={t.codeHint}
              inputMode="numeric"
              autoComplete="off"
              data-autofocus
              size="lg"
              className="code"
              maxLength={8}
              value={extras.code}
              error={wrongCode ? error.message : undefined}
              onChange={({ currentTarget: { value } }) =>
                setExtras({ ...extras, code: value.replace(/\D/g, '') })
              }
            />
          )}
          <Checkbox
            label={t.withoutCode}
            description={t.withoutCodeHint}
            checked={extras.withoutCode}
            onChange={({ currentTarget: { checked } }) => setExtras({ ...extras, withoutCode: checked })}
          />
          {error && !wrongCode ? (
            <Text role="alert" c="var(--mantine-color-error)">
              {explain(error)}
            </Text>
          ) : null}
        </>
      ) : null}
    </Confirm>
  );
}

/** The bars that can be given: in stock, of this denomination, in this city. */
function BarChoice({ one, choose }: { one: Case; choose: (bar: Extras['bar']) => void }) {
  const query = {
    status: 'in_stock',
    city: one.city,
    denomination_id: one.denomination_id,
    limit: '100',
  } as const;
  const found = useLive(['bars', 'free', one.city, one.denomination_id], () =>
    call(api.GET('/operator/v1/bars', { params: { query } })),
  );
  const bars = found.data?.bars ?? [];
  return (
    <Select
      label={t.bar}
      description={found.data && bars.length === 0 ? t.noFreeBar : t.barHint}
      placeholder={t.barLater}
      searchable
      clearable
      data={bars.map(({ bar_id, serial, refiner }) => ({ value: bar_id, label: `${serial}, ${refiner}` }))}
      onChange={(id) => {
        const bar = bars.find(({ bar_id }) => bar_id === id);
        choose(bar ? { bar_serial: bar.serial, bar_refiner: bar.refiner } : {});
      }}
    />
  );
}

function send(move: Move, id: string, words: string, { bar, code, withoutCode }: Extras): Promise<object> {
  const params = { path: { redemption_id: id } };
  const note = words === '' ? {} : { note: words };
  switch (move) {
    case 'prepare':
    case 'ready':
      return call(
        api.POST(`/operator/v1/redemptions/{redemption_id}/${move}`, { params, body: { ...note, ...bar } }),
      );
    case 'collect':
      return call(
        api.POST('/operator/v1/redemptions/{redemption_id}/collect', {
          params,
          body: withoutCode
            ? { without_code: { reason: words }, ...bar }
            : { pickup_code: code, ...note, ...bar },
        }),
      );
    case 'cancel':
      return call(
        api.POST('/operator/v1/redemptions/{redemption_id}/cancel', {
          params,
          body: { physical_gold_committed: false, ...note },
        }),
      );
    case 'refund':
    case 'burn':
    case 'reissue-code':
      return call(api.POST(`/operator/v1/redemptions/{redemption_id}/${move}`, { params, body: {} }));
  }
}
