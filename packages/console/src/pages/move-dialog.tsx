import { Checkbox, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { ApiError, call } from '../api/client';
import { useChange, useLive } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { Confirm } from '../ui/confirm';
import { documentName, withUnit } from '../ui/format';
import { notifyOutcome } from '../ui/outcome';
import { type Case, codeDigits, type Move } from './redemption-parts';

const t = text.redemptions;

const irreversible = new Set<Move>(['collect', 'cancel', 'refund', 'burn', 'cancel-burn']);
const noted = new Set<Move>(['prepare', 'ready', 'collect', 'cancel']);
/** What takes a bar, and whether it can do without one. */
const takesBar: Partial<Record<Move, 'may' | 'must'>> = { prepare: 'may', ready: 'must', collect: 'must' };

type NamedBar = Partial<Record<'bar_serial' | 'bar_refiner', string>>;

/** What a move takes besides a note. */
interface Extras {
  bar: NamedBar;
  code: string;
  withoutCode: boolean;
}

/** Says what a move will do, takes what it needs, and does it. */
export function MoveDialog({ move, one, onClose }: { move: Move; one: Case; onClose: () => void }) {
  const [noGold, setNoGold] = useState(false);
  const [extras, setExtras] = useState<Extras>({ bar: {}, code: '', withoutCode: false });
  const words = t.moves[move];
  const change = useChange(
    (note: string) => send(move, one.redemption_id, note, { ...extras, bar: barOf(one) ?? extras.bar }),
    (result) => {
      onClose();
      notifyOutcome(result, words.done);
    },
  );
  const { error } = change;
  const blamed = error instanceof ApiError ? error.field : undefined;
  const wrongCode = blamed === 'pickup_code';
  const wrongBar = blamed === 'bar_serial' && !one.bar;
  const collects = move === 'collect';
  const bar = one.bar ? undefined : takesBar[move];
  const missing = missingOf(move, { noGold, needsBar: bar === 'must', ...extras });
  const reasoned = move === 'cancel-burn' || (collects && extras.withoutCode);
  const asks = reasoned ? 'reason' : noted.has(move) ? 'note' : undefined;
  const item = one.bar && !collects ? `${one.denomination} (${one.bar.serial})` : one.denomination;
  const tokens = withUnit(one.quote.tokens_required, 'GOLD');
  return (
    <Confirm
      opened
      question={words.question}
      body={fill(words.body, { item, city: one.city, tokens })}
      action={words.label}
      danger={irreversible.has(move)}
      keep={move === 'cancel' || move === 'cancel-burn' ? text.common.keep : undefined}
      busy={change.isPending}
      asks={asks}
      disabled={missing !== undefined}
      onClose={onClose}
      error={wrongCode || wrongBar ? undefined : error}
      onConfirm={(note) => change.mutate(note)}
    >
      {collects ? <HandingOver one={one} /> : null}
      {move === 'cancel' ? (
        <Checkbox
          label={t.noGold}
          checked={noGold}
          onChange={({ currentTarget: { checked } }) => setNoGold(checked)}
        />
      ) : null}
      {bar ? (
        <BarChoice
          one={one}
          required={bar === 'must'}
          error={wrongBar ? error?.message : undefined}
          choose={(chosen) => setExtras((now) => ({ ...now, bar: chosen }))}
        />
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
              value={extras.code}
              error={wrongCode ? error?.message : undefined}
              onChange={({ currentTarget: { value } }) =>
                setExtras({ ...extras, code: value.replace(/\D/g, '').slice(-codeDigits) })
              }
            />
          )}
          <Checkbox
            label={t.withoutCode}
            description={t.withoutCodeHint}
            checked={extras.withoutCode}
            onChange={({ currentTarget: { checked } }) => setExtras({ ...extras, withoutCode: checked })}
          />
        </>
      ) : null}
      {missing === undefined ? null : (
        <Text role="status" size="sm" c="dimmed">
          {fill(t.missing[missing], { item: one.denomination, city: one.city })}
        </Text>
      )}
    </Confirm>
  );
}

/** What a clerk compares at the counter: the person, and the bar. */
function HandingOver({ one: { customer, bar, denomination } }: { one: Case }) {
  const document = [customer?.id_type && documentName(customer.id_type), customer?.id_number_masked];
  return (
    <div className="handing-over">
      {customer ? (
        <div>
          <span className="dimmed">{t.customer}</span>
          <strong>{customer.full_name ?? text.common.none}</strong>
          <span>{document.filter(Boolean).join(' ')}</span>
        </div>
      ) : null}
      {bar ? (
        <div>
          <span className="dimmed">{t.bar}</span>
          <strong className="mono">{bar.serial}</strong>
          <span>{`${denomination}, ${bar.refiner}`}</span>
        </div>
      ) : null}
    </div>
  );
}

interface Entered extends Extras {
  noGold: boolean;
  needsBar: boolean;
}

/** Returns what is still missing before a move can be made, the bar before the code. */
function missingOf(
  move: Move,
  { noGold, needsBar, bar, code, withoutCode }: Entered,
): keyof typeof t.missing | undefined {
  if (move === 'cancel' && !noGold) return 'noGold';
  if (needsBar && bar.bar_serial === undefined) return 'bar';
  return move === 'collect' && !withoutCode && code.length !== codeDigits ? 'code' : undefined;
}

type Bar = Schemas['Bar'];
const labelOf = ({ serial, refiner }: Bar) => `${serial}, ${refiner}`;

/** The bar that the dialog names: it is moved, or the move refused, also if somebody else put it back meanwhile. */
function barOf({ bar }: Case): NamedBar | undefined {
  return bar ? { bar_serial: bar.serial, bar_refiner: bar.refiner } : undefined;
}

interface Choosing {
  one: Case;
  /** Whether there is no going on without one: the first that fits is chosen then. */
  required: boolean;
  error: string | undefined;
  choose: (bar: NamedBar) => void;
}

/** The bars that can be given: in stock, of this denomination, in this city. The API searches them, as there may be many. */
function BarChoice({ one, required, error, choose }: Choosing) {
  const [chosen, setChosen] = useState<Bar | null>(null);
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed.trim(), 200);
  // The field holds the label of a bar that is chosen, which is no search.
  const q = wanted === '' || (chosen && wanted === labelOf(chosen)) ? undefined : wanted;
  const query = {
    status: 'in_stock',
    city: one.city,
    denomination_id: one.denomination_id,
    q,
    limit: '100',
  } as const;
  const found = useLive(['bars', 'free', query], () =>
    call(api.GET('/operator/v1/bars', { params: { query } })),
  );
  const bars = found.data?.bars ?? [];
  const take = (bar: Bar | null) => {
    setChosen(bar);
    choose(bar ? { bar_serial: bar.serial, bar_refiner: bar.refiner } : {});
  };
  const first = required ? bars[0] : undefined;
  const isOffered = useRef(false);
  useEffect(() => {
    if (!first || isOffered.current) return;
    isOffered.current = true;
    take(first);
  });
  const shown = chosen && !bars.some(({ bar_id }) => bar_id === chosen.bar_id) ? [chosen, ...bars] : bars;
  return (
    <Select
      label={t.bar}
      description={found.data && bars.length === 0 && q === undefined ? t.noFreeBar : t.barHint}
      placeholder={required ? undefined : t.barLater}
      required={required}
      error={error}
      value={chosen?.bar_id ?? null}
      searchable
      clearable
      maxLength={100}
      nothingFoundMessage={found.data && q !== undefined ? t.noSuchBar : undefined}
      // What the API found is shown as it is.
      filter={({ options }) => options}
      searchValue={typed}
      onSearchChange={setTyped}
      data={shown.map((bar) => ({ value: bar.bar_id, label: labelOf(bar) }))}
      onChange={(id) => {
        take(shown.find(({ bar_id }) => bar_id === id) ?? null);
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
    case 'cancel-burn':
      return call(
        api.POST('/operator/v1/redemptions/{redemption_id}/burn/cancel', { params, body: { reason: words } }),
      );
    case 'refund':
    case 'burn':
    case 'reissue-code':
      return call(api.POST(`/operator/v1/redemptions/{redemption_id}/${move}`, { params, body: {} }));
  }
}
