import { Text } from '@mantine/core';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { Diff } from '../ui/diff';
import { DialogButton, type Field, FormDialog, reasonField, type Values } from '../ui/form';
import { formatSeconds, limitOf, secondsSince } from '../ui/format';
import { Badge, Facts, PageHead, Panel, Time } from '../ui/parts';
import { Loaded } from '../ui/states';

const t = text.settings;
type State = Schemas['ChainSettings'];
type Settings = State['settings'];
type Name = keyof Settings;
type Pending = NonNullable<State['pending']>;

const names = Object.keys(t.names) as Name[];
const limits = new Set<Name>(['max_trade_usdc', 'daily_outflow_usdc', 'daily_outflow_gold', 'daily_mint']);
const durations = new Set<Name>([
  'max_age_open',
  'max_age_closed',
  'recovery_delay',
  'change_delay',
  'burn_delay',
  'redemption_timeout',
  'opposite_side_seconds',
  'max_attestation_age',
]);

/** What the program does by, and what is proposed in its place. */
export function ProgramSettings() {
  const state = useLive(['chain', 'settings'], () => call(api.GET('/operator/v1/chain/settings')));
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Loaded of={state}>
        {({ settings, pending }) => (
          <>
            <Proposal settings={settings} pending={pending} />
            <div className="below">
              <Panel title={t.current}>
                <Facts rows={names.map((name) => [t.names[name], shown(name, settings)])} />
              </Panel>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

function Proposal({ settings, pending }: State) {
  const administers = useMay('administer');
  if (!pending || isExpired(pending)) {
    return (
      <Panel title={t.pending} actions={administers ? <Propose settings={settings} /> : null}>
        {pending ? <Badge tone="quiet">{t.expired}</Badge> : <Text c="dimmed">{t.none}</Text>}
      </Panel>
    );
  }
  const ready = secondsSince(pending.ready_at) >= 0;
  const actions = (
    <>
      {ready ? <Step step="apply" /> : null}
      <Step step="cancel" />
    </>
  );
  return (
    <Panel title={t.pending} actions={administers ? actions : null}>
      <Badge tone={ready ? 'good' : 'warn'}>
        {ready ? t.ready : fill(t.waiting, { time: formatSeconds(-secondsSince(pending.ready_at)) })}
      </Badge>
      <Changes settings={settings} pending={pending} />
      <Facts
        rows={[
          [t.proposedAt, <Time key="p" at={pending.proposed_at} />],
          [t.readyAt, <Time key="r" at={pending.ready_at} />],
          [t.expiresAt, <Time key="e" at={pending.expires_at} />],
          [t.cancellableBy, pending.cancellable_by.map((role) => t.roles[role]).join(', ')],
        ]}
      />
      {pending.cancellable_by.includes('guardian') ? null : (
        <Text size="sm" c="dimmed" mt="sm">
          {t.differs}
        </Text>
      )}
    </Panel>
  );
}

const isExpired = ({ expires_at }: Pending) => secondsSince(expires_at) >= 0;

/** What the proposal changes, and nothing else. */
function Changes({ settings, pending }: { settings: Settings; pending: Pending }) {
  const changed = names.filter(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(pending.settings[name]),
  );
  const of = (all: Settings) => Object.fromEntries(changed.map((name) => [t.names[name], shown(name, all)]));
  return <Diff before={of(settings)} after={of(pending.settings)} />;
}

/** A setting as text: durations in their largest unit as well. */
function shown(name: Name, settings: Settings): string {
  const value = settings[name];
  if (value === null || (Array.isArray(value) && value.length === 0)) return text.common.none;
  if (value === 'none') return t.noLimit;
  if (typeof value === 'boolean') return value ? text.common.yes : text.common.no;
  if (typeof value === 'number' && durations.has(name)) return `${value} s (${formatSeconds(value)})`;
  return Array.isArray(value) ? value.join('\n') : String(value);
}

function Step({ step }: { step: 'apply' | 'cancel' }) {
  const words = t[step];
  return (
    <DialogButton label={words.action} size="xs" primary={step === 'apply'}>
      {(close) => (
        <FormDialog
          title={words.title}
          lead={words.lead}
          action={words.action}
          done={words.done}
          danger={step === 'cancel'}
          keep={step === 'cancel' ? text.common.keep : undefined}
          fields={[reasonField]}
          submit={({ reason }) =>
            call(api.POST(`/operator/v1/chain/settings/${step}`, { body: { reason: String(reason) } }))
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

/** Sends what was changed alone: what stays as it is may have changed since. */
function Propose({ settings }: { settings: Settings }) {
  return (
    <DialogButton label={t.propose.action} size="xs">
      {(close) => (
        <FormDialog
          title={t.propose.title}
          lead={t.propose.lead}
          action={t.propose.action}
          done={t.propose.done}
          fields={[...names.map((name) => fieldOf(name, settings)), reasonField]}
          submit={({ reason }, changed) =>
            call(
              api.POST('/operator/v1/chain/settings', {
                body: { settings: changesOf(settings, changed), reason: String(reason) },
              }),
            )
          }
          onClose={close}
        />
      )}
    </DialogButton>
  );
}

/** A refusal names the field as it lies in the body. */
const inBody = (name: Name) => `settings.${name}`;

function fieldOf(name: Name, settings: Settings): Field {
  const value = settings[name];
  const field = { name: inBody(name), label: t.names[name] };
  if (typeof value === 'boolean') return { ...field, kind: 'check', initial: value };
  if (Array.isArray(value)) {
    const initial = value.join('\n');
    return { ...field, kind: 'long', hint: t.propose.listHint, optional: true, initial };
  }
  if (limits.has(name)) return { ...field, hint: t.propose.limitHint, initial: String(value) };
  if (typeof value !== 'number') return { ...field, optional: value === null, initial: value ?? '' };
  const hint = durations.has(name) ? t.propose.seconds : undefined;
  return { ...field, kind: 'number', hint, initial: value };
}

function changesOf(settings: Settings, changed: Partial<Values>): Partial<Settings> {
  const changes = names.flatMap((name) => {
    const typed = changed[inBody(name)];
    return typed === undefined ? [] : [[name, readValue(name, typed, settings[name])]];
  });
  return Object.fromEntries(changes) as Partial<Settings>;
}

function readValue(name: Name, typed: string | number | boolean, present: Settings[Name]): Settings[Name] {
  if (limits.has(name)) return limitOf(typed);
  if (Array.isArray(present))
    return String(typed)
      .split(/[\s,]+/)
      .filter(Boolean);
  if (typeof present === 'number') return Number(typed);
  if (name === 'attestor') return typed === '' ? null : String(typed);
  return typed as Settings[Name];
}
