import { Group, Progress, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client';
import { useChange, useLive } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { ActionButton } from '../ui/action';
import { Confirm } from '../ui/confirm';
import { useAct } from '../ui/filters';
import { formatTime, type Unit, withUnit } from '../ui/format';
import { notifyOutcome } from '../ui/outcome';
import { Amount, Badge, Facts, PageHead, Panel, Time } from '../ui/parts';
import { Loaded } from '../ui/states';
import { OrWaits, type WaitsFor } from '../ui/waiting';
import { AnnouncedBurns } from './announced-burns';
import { Backing } from './backing';

const t = text.treasury;

export function Treasury() {
  const treasury = useLive(['treasury'], () => call(api.GET('/operator/v1/treasury')));
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Loaded of={treasury}>{(found) => <Balances found={found} />}</Loaded>
      <div className="below">
        <AnnouncedBurns />
      </div>
      <div className="below">
        <Trading />
      </div>
    </>
  );
}

function Balances({ found }: { found: Schemas['GetTreasuryResult'] }) {
  const { treasury, fee, escrow, backing, limits, difference } = found;
  const even = difference && difference.gold === 0 && difference.usdc === 0;
  return (
    <>
      <Backing of={backing} />
      <div className="tiles below">
        <Tile name={t.gold} value={treasury.gold} unit="GOLD" />
        <Tile name={t.usdc} value={treasury.usdc} unit="USDC" />
        <Tile name={t.fees} value={fee.usdc} unit="USDC" />
        <Tile name={t.escrow} value={escrow.gold} unit="GOLD" />
      </div>
      <div className="halves">
        <Panel title={t.escrow}>
          <Facts
            rows={[
              [t.needed, <Amount key="n" value={escrow.needed} unit="GOLD" />],
              [t.surplus, <Amount key="s" value={escrow.surplus} unit="GOLD" />],
            ]}
          />
        </Panel>
        <Panel title={t.difference}>
          <Badge tone={difference === null ? 'calm' : even ? 'good' : 'bad'}>
            {difference === null ? t.notCompared : even ? t.even : t.off}
          </Badge>
          {difference ? (
            <Facts
              rows={[
                [t.gold, <Amount key="g" value={difference.gold} unit="GOLD" />],
                [t.usdc, <Amount key="u" value={difference.usdc} unit="USDC" />],
                [t.compared, <Time key="t" at={found.compared_at} />],
              ]}
            />
          ) : null}
        </Panel>
      </div>
      <Panel title={t.limits}>
        <Used name={t.outflowUsdc} {...limits.daily_outflow_usdc} unit="USDC" />
        <Used name={t.outflowGold} {...limits.daily_outflow_gold} unit="GOLD" />
        <Used name={t.minted} {...limits.daily_mint} unit="GOLD" />
      </Panel>
    </>
  );
}

type Limit = Schemas['GetTreasuryResult']['limits']['daily_mint'];

function Tile({ name, value, unit }: { name: string; value: number; unit: Unit }) {
  return (
    <div className="tile">
      <span>{name}</span>
      <strong className="smaller">
        <Amount value={value} unit={unit} headline />
      </strong>
    </div>
  );
}

function Used({ name, limit, used, unit }: Limit & { name: string; unit: Unit }) {
  const words =
    limit === 'none'
      ? fill(t.unlimited, { used: withUnit(used, unit) })
      : fill(t.used, { used: withUnit(used, unit), limit: withUnit(limit, unit) });
  const said = `${name}: ${words}`;
  return (
    <div className="used">
      <Text size="sm" mb={6}>
        {said}
      </Text>
      {limit === 'none' ? null : <Progress value={Math.min(100, (used / limit) * 100)} aria-label={said} />}
    </div>
  );
}

type Part = keyof Schemas['ChainStatus']['paused'];
type Market = keyof typeof t.marketActs;
type ChainChange = { part: Part; pause: boolean } | { market: Market };

/** What a change of the program means, before it is made. */
function wordsOf(chosen: ChainChange): { question: string; body: string; action: string } {
  if ('market' in chosen) return t.marketActs[chosen.market];
  const part = t.parts[chosen.part];
  return chosen.pause
    ? { question: fill(t.pauseQuestion, { part }), body: t.pauseBody[chosen.part], action: t.pause }
    : { question: fill(t.resumeQuestion, { part }), body: t.resumeBody, action: t.resume };
}

/** What is open on chain, and the switches. */
function Trading() {
  const administers = useMay('administer');
  const chain = useLive(['chain'], () => call(api.GET('/operator/v1/chain/status')));
  const [chosen, setChosen] = useState<ChainChange>();
  useAct('pause', () => setChosen({ part: 'trade', pause: true }));
  useAct('resume', () => setChosen({ part: 'trade', pause: false }));
  return (
    <Panel title={t.trading}>
      <Loaded of={chain}>
        {({ paused, market, market_override }) => (
          <ul className="switches">
            <li>
              <div>
                <Badge tone={market === 'open' ? 'good' : 'calm'}>
                  {fill(t.market, { market: t.markets[market] })}
                </Badge>
                <Text size="sm" c="dimmed">
                  {overrideText(market_override)}
                </Text>
              </div>
              {administers ? (
                <Group gap="xs">
                  <Switch chosen={{ market: market === 'open' ? 'closed' : 'open' }} onAsk={setChosen} />
                  {market_override ? <Switch chosen={{ market: 'auto' }} onAsk={setChosen} /> : null}
                </Group>
              ) : null}
            </li>
            {(Object.keys(paused) as Part[]).map((part) => (
              <li key={part}>
                <Badge tone={paused[part] ? 'bad' : 'good'}>
                  {t.parts[part]}: {paused[part] ? t.paused : t.open}
                </Badge>
                {administers ? <Switch chosen={{ part, pause: !paused[part] }} onAsk={setChosen} /> : null}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {chosen ? <ChangeChain chosen={chosen} onClose={() => setChosen(undefined)} /> : null}
    </Panel>
  );
}

function overrideText(override: Schemas['ChainStatus']['market_override']): string {
  if (!override) return t.override.none;
  const until = override.until ? formatTime(override.until) : t.override.lasting;
  return fill(t.override[override.market], { until });
}

/** The request to resume a part, which takes two people. */
const resumptionOf = (part: Part): WaitsFor => ({
  action: 'chain.status',
  where: ({ request }) => (request.paused as Partial<Record<Part, boolean>> | undefined)?.[part] === false,
});

function Switch({ chosen, onAsk }: { chosen: ChainChange; onAsk: (chosen: ChainChange) => void }) {
  const { action } = wordsOf(chosen);
  const name = 'part' in chosen ? `${action}: ${t.parts[chosen.part]}` : action;
  return (
    <OrWaits for={'part' in chosen && !chosen.pause ? resumptionOf(chosen.part) : undefined}>
      <ActionButton size="xs" variant="default" aria-label={name} onClick={() => onAsk(chosen)}>
        {action}
      </ActionButton>
    </OrWaits>
  );
}

/** Says what the change will do, takes the reason, and makes it. */
function ChangeChain({ chosen, onClose }: { chosen: ChainChange; onClose: () => void }) {
  const words = wordsOf(chosen);
  const body = 'market' in chosen ? { market: chosen.market } : { paused: { [chosen.part]: chosen.pause } };
  const change = useChange(
    (reason: string) => call(api.PUT('/operator/v1/chain/status', { body: { ...body, reason } })),
    (result) => {
      onClose();
      notifyOutcome(result, t.switched);
    },
  );
  return (
    <Confirm
      opened
      question={words.question}
      body={words.body}
      action={words.action}
      danger={'market' in chosen ? chosen.market === 'closed' : chosen.pause}
      asks="reason"
      busy={change.isPending}
      onClose={onClose}
      error={change.error}
      onConfirm={(reason) => change.mutate(reason)}
    />
  );
}
