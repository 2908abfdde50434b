import { Alert, Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ApiError, call } from '../api/client';
import { useChange, useLive, useLost } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { signedNote, useLocal } from '../text/counter';
import { gramsPerTola, plainDigits } from '../text/language.js';
import { documentName } from '../ui/format';
import { Facts } from '../ui/parts';
import { printOnly } from '../ui/print';
import { isSigned, type Signature, SignatureField, unsigned } from '../ui/signature';
import { explainChange, Failure, Loaded } from '../ui/states';
import { Progress, Step } from './counter-step';
import { useReceipt } from './receipt';
import { fileNameOf, Paper } from './receipt-paper';
import { type Case, codeDigits } from './redemption-parts';

interface Props {
  id: string;
  /** The code that was scanned with the redemption; empty where the clerk chose the customer. */
  scanned: string;
  city: string;
  onLeave: () => void;
}

/** From a redemption to its receipt. */
export function HandOver({ id, ...props }: Props) {
  const { t } = useLocal();
  const found = useLive(['redemptions', id], () =>
    call(api.GET('/operator/v1/redemptions/{redemption_id}', { params: { path: { redemption_id: id } } })),
  );
  return (
    <>
      <Loaded of={found}>{(one) => <Served one={one} {...props} />}</Loaded>
      {found.data ? null : (
        <Button variant="default" size="lg" onClick={props.onLeave}>
          {t.back}
        </Button>
      )}
    </>
  );
}

type Bar = Schemas['Bar'];
const order = ['identity', 'bar', 'weight', 'signature'] as const;

function collect(one: Case, bar: Bar, code: string) {
  const params = { path: { redemption_id: one.redemption_id } };
  const { serial: bar_serial, refiner: bar_refiner } = bar;
  const body = { pickup_code: code, bar_serial, bar_refiner, note: signedNote };
  return call(api.POST('/operator/v1/redemptions/{redemption_id}/collect', { params, body }));
}

const isLost = (error: unknown) => error instanceof ApiError && error.status === 0;
const isOfCode = (error: unknown) =>
  error instanceof ApiError && (error.field === 'pickup_code' || error.code.startsWith('pickup_code'));

function Served({ one, scanned, city, onLeave }: Omit<Props, 'id'> & { one: Case }) {
  const [at, setAt] = useState<(typeof order)[number]>('identity');
  const [code, setCode] = useState(scanned);
  const [signature, setSignature] = useState(unsigned);
  // What was set aside when the customer came is what is fetched, scanned and handed over.
  const [bar] = useState(one.bar);
  const change = useChange((entered: string) => collect(one, bar as Bar, entered));
  const { error } = change;
  // A second attempt is refused if the first one was recorded.
  const [wasLost, setWasLost] = useState(false);
  const maybeRecorded = wasLost || isLost(error);
  const go = (by: 1 | -1) => {
    const next = order[order.indexOf(at) + by];
    if (next) setAt(next);
    else onLeave();
  };
  if (change.isSuccess || (maybeRecorded && one.status === 'collected')) {
    return <Done id={one.redemption_id} signature={signature} onNext={onLeave} />;
  }
  if (!change.isPending) {
    const refusal = refusalOf({ ...one, bar }, city);
    if (refusal) return <Refused id={one.redemption_id} why={refusal} city={one.city} onLeave={onLeave} />;
  }
  const common = { one, onBack: () => go(-1), onDone: () => go(1) };
  const isWrong = isOfCode(error) && code === change.variables;
  switch (at) {
    case 'identity':
      return (
        <Identity
          {...common}
          code={code}
          setCode={setCode}
          asks={scanned !== code || isWrong || code === ''}
          isWrong={isWrong}
        />
      );
    case 'bar':
      return <ScanBar {...common} bar={bar as Bar} />;
    case 'weight':
      return <Weight {...common} bar={bar as Bar} />;
    case 'signature':
      return (
        <Sign
          {...common}
          bar={bar as Bar}
          signature={signature}
          setSignature={setSignature}
          busy={change.isPending}
          maybeRecorded={maybeRecorded}
          error={error}
          onDone={() =>
            change.mutate(code, {
              onError: (failure) => {
                if (isOfCode(failure)) setAt('identity');
                setWasLost(isLost(failure) || (maybeRecorded && !isOfCode(failure)));
              },
            })
          }
        />
      );
  }
}

type Refusal = 'elsewhere' | 'gone' | 'notReady' | 'noBar';

/** Why nothing can be handed over, if so. */
function refusalOf({ status, bar, city: place }: Case, city: string): Refusal | undefined {
  if (status === 'collected') return 'gone';
  if (status !== 'ready') return 'notReady';
  if (place.toLowerCase() !== city.toLowerCase()) return 'elsewhere';
  return bar ? undefined : 'noBar';
}

function Refused({
  id,
  why,
  city,
  onLeave,
}: {
  id: string;
  why: Refusal;
  city: string;
  onLeave: () => void;
}) {
  const { t, fill } = useLocal();
  return (
    <Step
      at="customer"
      title={t.refused.title}
      lead={fill(t.refused[why], { city })}
      action={t.back}
      onSubmit={onLeave}
    >
      <OpenRedemption id={id} />
    </Step>
  );
}

/** Leads to the page of the redemption, for what a counter cannot do. */
function OpenRedemption({ id }: { id: string }) {
  const { t } = useLocal();
  return (
    <Button variant="default" size="lg" component={Link} to={`/redemptions/${id}` as string}>
      {t.refused.open}
    </Button>
  );
}

interface StepProps {
  one: Case;
  onBack: () => void;
  onDone: () => void;
}

interface IdentityProps extends StepProps {
  code: string;
  setCode: (code: string) => void;
  /** Whether the code is typed, and not scanned. */
  asks: boolean;
  isWrong: boolean;
}

function Identity({ one, code, setCode, asks, isWrong, onBack, onDone }: IdentityProps) {
  const { t, formats, fill } = useLocal();
  const { customer, pickup } = one;
  const { identity } = t;
  const [isTyped] = useState(asks);
  const isLocked = pickup?.locked === true;
  return (
    <Step
      at="identity"
      title={fill(identity.title, { name: customer?.full_name ?? t.customer.unnamed })}
      lead={customer?.id_number_masked ? identity.lead : identity.noNumber}
      action={identity.confirm}
      disabled={isLocked || isWrong || code.length !== codeDigits}
      onSubmit={onDone}
      onBack={onBack}
    >
      <div className="big-facts">
        <Facts
          rows={[
            [identity.name, <strong key="n">{customer?.full_name ?? t.customer.unnamed}</strong>],
            [identity.document, customer?.id_type ? documentName(customer.id_type) : t.none],
            [identity.number, <bdi key="d">{customer?.id_number_masked ?? t.none}</bdi>],
            [identity.country, customer?.country ? formats.country(customer.country) : t.none],
          ]}
        />
      </div>
      {isLocked ? (
        <Alert color="red" role="alert">
          {identity.locked}
        </Alert>
      ) : isTyped ? (
        <TextInput
          size="lg"
          label={identity.code}
          description={identity.codeHint}
          error={
            isWrong ? fill(identity.wrong, { count: formats.number(pickup?.attempts_left ?? 0) }) : undefined
          }
          value={code}
          dir="ltr"
          inputMode="numeric"
          autoComplete="off"
          className="code"
          data-first
          data-scan
          onChange={({ currentTarget: { value } }) =>
            setCode(plainDigits(value).replace(/\D/g, '').slice(-codeDigits))
          }
        />
      ) : (
        <p className="good">{identity.scanned}</p>
      )}
      {isLocked ? <OpenRedemption id={one.redemption_id} /> : null}
    </Step>
  );
}

/** A serial as scanners and people write it, so that the same ones are equal; see the rules of bars in the service. */
const plainSerial = (text: string) =>
  plainDigits(text)
    .normalize('NFKC')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\s+/gu, ' ')
    .trim()
    .toUpperCase();

function ScanBar({ one, bar, onBack, onDone }: StepProps & { bar: Bar }) {
  const { t, fill } = useLocal();
  const [typed, setTyped] = useState('');
  const [other, setOther] = useState<string>();
  return (
    <Step
      at="bar"
      title={t.bar.title}
      lead={fill(t.bar.lead, { item: one.denomination })}
      action={t.bar.confirm}
      disabled={typed.trim() === ''}
      onBack={onBack}
      onSubmit={() => {
        if (plainSerial(typed) === plainSerial(bar.serial)) return onDone();
        setOther(typed.trim());
        setTyped('');
      }}
    >
      <p className="big">
        <bdi>{bar.serial}</bdi>
      </p>
      <p className="lead">
        {t.bar.refiner}: <bdi>{bar.refiner}</bdi>
      </p>
      <TextInput
        size="lg"
        label={t.bar.scan}
        error={other === undefined ? undefined : fill(t.bar.other, { scanned: other, wanted: bar.serial })}
        value={typed}
        dir="ltr"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        data-first
        data-scan
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          if (value !== '') setOther(undefined);
        }}
      />
    </Step>
  );
}

function Weight({ one, bar, onBack, onDone }: StepProps & { bar: Bar }) {
  const { t, formats, fill } = useLocal();
  return (
    <Step
      at="weight"
      title={t.weight.title}
      lead={t.weight.lead}
      action={t.weight.confirm}
      onBack={onBack}
      onSubmit={onDone}
    >
      <p className="big">{fill(t.weight.grams, { value: formats.number(one.weight_g, 3) })}</p>
      <p className="lead">
        {fill(t.weight.tola, { value: formats.number(one.weight_g / gramsPerTola, 4) })} ·{' '}
        {fill(t.weight.fineness, { value: formats.number(bar.fineness) })}
      </p>
      <p className="dimmed">{t.weight.other}</p>
    </Step>
  );
}

interface SignProps extends StepProps {
  bar: Bar;
  signature: Signature;
  setSignature: (signature: Signature) => void;
  busy: boolean;
  /** Whether no response came to an attempt, which may have been recorded. */
  maybeRecorded: boolean;
  error: unknown;
}

function Sign({ one, bar, signature, setSignature, busy, maybeRecorded, error, onBack, onDone }: SignProps) {
  const { t, formats, fill } = useLocal();
  const isOffline = useLost() !== undefined;
  const weight = fill(t.weight.grams, { value: formats.number(one.weight_g) });
  const said = { item: one.denomination, serial: bar.serial, weight };
  return (
    <Step
      at="signature"
      title={t.signature.title}
      lead={t.signature.lead}
      action={t.signature.confirm}
      disabled={!isSigned(signature) || isOffline}
      busy={busy}
      onBack={onBack}
      onSubmit={onDone}
    >
      <p className="statement">{fill(t.signature.statement, said)}</p>
      <SignatureField value={signature} set={setSignature} />
      {error && !isOfCode(error) ? (
        <Alert color="red" role="alert">
          {maybeRecorded ? t.signature.lost : fill(t.signature.failed, { message: explainChange(error) })}
        </Alert>
      ) : null}
      <p className="dimmed">{isOffline ? t.signature.offline : t.signature.last}</p>
    </Step>
  );
}

function Done({ id, signature, onNext }: { id: string; signature: Signature; onNext: () => void }) {
  const { t } = useLocal();
  const receipt = useReceipt(id);
  const first = useRef<HTMLButtonElement>(null);
  const { data } = receipt;
  const hasReceipt = data?.collected_at != null;
  useEffect(() => {
    if (hasReceipt) first.current?.focus();
  }, [hasReceipt]);
  return (
    <>
      <Progress at="receipt" />
      <div className="counter-step no-print">
        <h1>{t.done.title}</h1>
        <p className="lead">{t.done.lead}</p>
        <div className="counter-actions">
          <Button
            ref={first}
            size="xl"
            disabled={!hasReceipt}
            onClick={() => data && printOnly('receipt', fileNameOf(data))}
          >
            {t.receipt.print}
          </Button>
          <Button size="xl" variant="default" onClick={onNext}>
            {t.done.next}
          </Button>
        </div>
        {receipt.error ? <Failure error={receipt.error} retry={() => void receipt.refetch()} /> : null}
      </div>
      {data && hasReceipt ? <Paper receipt={data} signature={signature} /> : null}
    </>
  );
}
