import { Progress, Text } from '@mantine/core';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { fill } from '../text/en';
import { limits as t } from '../text/portal/limits';
import { formatCount, formatSeconds, secondsSince } from '../ui/format';
import { Badge, PageHead, Panel, Time } from '../ui/parts';
import { Loaded } from '../ui/states';
import { api, type Schemas } from './api';

type Limit = Schemas['Limit'];

export function Limits() {
  const limits = useLive(['limits'], () => call(api.GET('/v1/limits')));
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Loaded of={limits}>{({ limits: all }) => <Groups limits={all} />}</Loaded>
    </>
  );
}

/** Which limits stand together, by what their names contain; what is in no group is among the others. */
const groups = [
  { title: t.day, lead: t.dayLead, holds: (name: string) => name.includes('_daily_') },
  { title: t.traffic, lead: t.trafficLead, holds: (name: string) => /_(reads|writes)$/.test(name) },
];

function Groups({ limits }: { limits: Limit[] }) {
  const others = limits.filter(({ name }) => !groups.some(({ holds }) => holds(name)));
  return (
    <div className="stack">
      {groups.map(({ title, lead, holds }) => (
        <Group key={title} title={title} lead={lead} limits={limits.filter(({ name }) => holds(name))} />
      ))}
      <Group title={t.other} limits={others} />
    </div>
  );
}

function Group({ title, lead, limits }: { title: string; lead?: string; limits: Limit[] }) {
  return (
    <Panel title={title}>
      {lead ? (
        <Text size="sm" c="dimmed" mb="md">
          {lead}
        </Text>
      ) : null}
      <ul className="plain limits">
        {limits.map((limit) => (
          <li key={limit.name}>
            <Bar limit={limit} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** A limit nearly used up, from this part on. */
const low = 0.8;

function Bar({ limit: one }: { limit: Limit }) {
  const { name, unit, used, reserved, limit, left, resets_at } = one;
  const amount = (value: number) => `${formatCount(value)} ${unit}`;
  const label = t.names[name] ?? name;
  const part = limit === null || left === null || limit === 0 ? 0 : 1 - left / limit;
  const words = [
    used !== null && limit !== null
      ? fill(t.used, { used: formatCount(used), limit: amount(limit) })
      : used !== null && used > 0
        ? fill(t.usedOnly, { used: amount(used) })
        : undefined,
    used === null && limit !== null ? fill(t.ofEach, { limit: amount(limit) }) : undefined,
    reserved > 0 ? fill(t.reserved, { amount: amount(reserved) }) : undefined,
    limit === null ? t.unlimited : undefined,
  ].filter((each) => each !== undefined);
  return (
    <>
      <div className="limit-head">
        <strong>{label}</strong>
        {left === 0 ? <Badge tone="bad">{t.full}</Badge> : null}
        {left !== 0 && part >= low ? <Badge tone="warn">{t.low}</Badge> : null}
        {left === null ? null : <span className="dimmed">{fill(t.left, { amount: amount(left) })}</span>}
      </div>
      {left === null ? null : (
        <Progress value={part * 100} color={colorOf(part)} size="md" aria-label={label} my={6} />
      )}
      <Text size="sm" c="dimmed">
        {words.join(' · ')}
        {resets_at && limit !== null ? (
          <>
            {' · '}
            {name === 'fee_budget' ? t.resets : t.resetsFirst} <Until at={resets_at} />
          </>
        ) : null}
      </Text>
    </>
  );
}

/** A moment that is near, by how long it takes. */
function Until({ at }: { at: string }) {
  const seconds = -secondsSince(at);
  if (seconds > 3_600) return <Time at={at} />;
  return <time dateTime={at}>{fill(t.inTime, { time: formatSeconds(Math.max(1, seconds)) })}</time>;
}

const colorOf = (part: number) => (part >= 1 ? 'red' : part >= low ? 'yellow' : undefined);
