/** Those who work for Karat and for partners: clerks, a second person, treasurers, auditors. */
import { createPublicKey, verify } from 'node:crypto';
import { signedBy } from '../../../packages/service/test/ordering.js';
import type { Partner } from '../../world.js';
import { type Act, pick, type Stage } from '../stage.js';

/** A note on requests that no second person approves. */
export const aloneNote = 'alone';

/** The states from which a clerk goes on, and how: those that matter most are looked at most often. */
const queues = [
  'submitted',
  'preparing',
  'ready',
  'cancellation_requested',
  'cancelled',
  'collected',
  'ready',
];

/** Returns one of the redemptions in a state, as the page of a clerk lists them; any one if there is none. */
export async function pickInState(
  stage: Stage,
  { status, at }: { status: string; at: number },
  number: number,
): Promise<{ id: string; apiKey: string }> {
  const { clerk: token } = stage.world.people.tokens;
  const { body } = await stage.operate(token, `GET /redemptions?status=${status}`, undefined, number);
  const listed: string[] = (body?.redemptions ?? []).map(
    (row: { redemption_id: string }) => row.redemption_id,
  );
  const known = stage.redemptions.filter(({ id }) => listed.includes(id));
  return pick(known.length > 0 ? known : stage.redemptions, at);
}

/** Does the next thing with a redemption, or one that is not due; twice at once if they are impatient. */
export const clerk: Act = async (stage, operation, number) => {
  const status = pick(queues, operation.amount);
  const { id, apiKey } = await pickInState(stage, { status, at: operation.user }, number);
  const { clerk: token } = stage.world.people.tokens;
  const { body } = await stage.operate(token, `GET /redemptions/${id}`, undefined, number);
  const due: string[] = (body?.available_actions ?? []).filter((action: string) => action in bodies);
  const all = Object.keys(bodies);
  const step = pick(due.length > 0 && operation.user % 5 > 0 ? due : all, operation.amount >> 3);
  const given = await bodies[step]?.(stage, { apiKey, id, bar: operation.amount % 400 }, number);
  return stage.press(token, `/redemptions/${id}/${step.replace('_', '-')}`, given ?? {}, operation, number);
};

type About = { apiKey: string; id: string; bar: number };
const bodies: Record<string, (stage: Stage, about: About, number: number) => object | Promise<object>> = {
  prepare: (_stage, { bar }) => ({ bar_serial: `T${bar}` }),
  ready: (_stage, { bar }) => ({ bar_serial: `T${bar}` }),
  cancel: () => ({ physical_gold_committed: false }),
  refund: () => ({}),
  burn: () => ({}),
  reissue_code: () => ({}),
  collect: async (stage, { apiKey, id }, number) => ({
    pickup_code: await codeOf(stage, apiKey, id, number),
  }),
};

/** The code that the customer shows, or one that is wrong. */
export async function codeOf(stage: Stage, apiKey: string, id: string, number: number): Promise<string> {
  const redemption = await stage.client({ apiKeys: [apiKey] }, number).redemptions.get(id);
  return redemption.pickup_code ?? '00000000';
}

/** Approves what a clerk requested with another, and rejects what one requested alone. */
export const approver: Act = async (stage, operation, number) => {
  const { second } = stage.world.people.tokens;
  const { body } = await stage.operate(second, 'GET /approvals?status=pending', undefined, number);
  const { approval_id: id, ...approval } = pick<{ approval_id: string }>(
    body?.approvals ?? [],
    operation.amount,
  );
  const isAlone = JSON.stringify(approval).includes(aloneNote);
  const decided = isAlone ? { reason: 'no one else knows of it' } : {};
  return stage.press(
    second,
    `/approvals/${id}/${isAlone ? 'reject' : 'approve'}`,
    decided,
    operation,
    number,
  );
};

/** Buys and sells for the vault of a partner, by the tradebook. */
export const treasurer: Act = async (stage, { user, amount, twice }, number) => {
  const partner = pick(stage.world.people.partners, user);
  const goldAmount = (1_000 + amount) / 1_000_000;
  const [path, limit] =
    amount % 2 === 0 ? ['purchases', { maxUsdcAmount: 500 }] : ['sales', { minimumUsdcAmount: 0.01 }];
  const headers = {
    'x-api-key': stage.world.people.vaultKeys.get(partner.id) ?? '',
    'content-type': 'application/json',
  };
  const post = async (to: number, route: string, body: object) => {
    const signal = AbortSignal.timeout(8_000);
    const sent = { method: 'POST', headers, body: JSON.stringify(body), signal };
    const response = await fetch(`${stage.url(to)}/api/${route}`, sent);
    return { status: response.status, text: await response.text() };
  };
  const order = await post(number, `trading/${path}/partner`, { goldAmount, ...limit });
  if (order.status !== 201) return `${path} ${order.status} ${order.text.slice(0, 150)}`;
  const { serializedTx } = JSON.parse(order.text).data.transaction;
  const signed = signedBy(Buffer.from(serializedTx, 'base64'), partner.wallet);
  const signedTransaction = Buffer.from(signed).toString('base64');
  const submit = (to: number) => post(to, 'transactions/submit', { signedTransaction });
  const sent = await Promise.all([submit(number), ...(twice ? [submit(number + 1)] : [])]);
  return sent.map(({ status, text }) => `${path} ${status}${status === 200 ? '' : ` ${text.slice(0, 150)}`}`);
};

/** Reads everything that a partner may see, and adds it up. */
export const auditor: Act = async (stage, { user }, number) => {
  const partner = pick(stage.world.people.partners, user);
  const rows = await seeOwn(stage, partner, number);
  return [rows, await addUp(stage, partner, number)];
};

/** Lists everything of a partner, and notes rows that are about another one. Returns how many rows there were. */
export async function seeOwn(stage: Stage, partner: Partner, number: number): Promise<number> {
  const karat = stage.client(partner, number);
  const own = new Set<string>(partner.users.map(({ id }) => id));
  const foreign = stage.world.people.partners.filter((one) => one !== partner);
  const others = foreign.flatMap(({ id, users }) => [
    id,
    ...users.flatMap((one) => [one.id, one.wallet.address]),
  ]);
  const lists = {
    trades: await karat.trades.list().take(300),
    redemptions: await karat.redemptions.list().take(300),
    users: await karat.users.list().take(300),
    events: await karat.events.list().take(300),
    orders: (await stage.asPartner(partner, 'GET /v1/orders', undefined, number)).body?.orders ?? [],
  };
  let count = 0;
  for (const [name, rows] of Object.entries(lists)) {
    for (const row of rows) {
      count += 1;
      const text = JSON.stringify(row);
      const other = others.find((id) => text.includes(id));
      if (other) stage.breaches.add(`the ${name} of partner ${partner.id} have a row about ${other}`);
      const named = (row as { service_user_id?: string }).service_user_id;
      if (named && !own.has(named)) stage.breaches.add(`partner ${partner.id} sees ${name} of ${named}`);
    }
  }
  return count;
}

/** Verifies the statement of this month as its reader would: sums, balances, signature. */
async function addUp(stage: Stage, partner: Partner, number: number): Promise<string> {
  const month = new Date(stage.world.chain.clock.now()).toISOString().slice(0, 7);
  const response = await stage.asPartner(partner, `GET /v1/statements?month=${month}`, undefined, number);
  if (response.status !== 200) return `statement ${response.status}`;
  const { opening, closing, lines, totals, difference } = response.body;
  for (const token of ['gold', 'usdc'] as const) {
    const units = (amount: number) => Math.round(amount * 1_000_000);
    const sum = lines.reduce((all: number, line: Record<string, number>) => all + units(line[token] ?? 0), 0);
    if (sum !== units(totals[token])) stage.breaches.add(`the ${token} of a statement does not add up`);
    if (units(opening[token]) + sum + units(difference[token]) !== units(closing[token]))
      stage.breaches.add(`the ${token} of a statement does not lead from its opening to its closing`);
  }
  const signature = response.headers.get('karat-statement-signature');
  if (!signature) return `a provisional statement of ${lines.length} lines`;
  const { body } = await stage.asPartner(partner, 'GET /v1/papers/keys', undefined, number);
  const keys: string[] = body?.public_keys ?? [];
  const isSigned = keys.some((key) => isSignedBy(key, response.text, Buffer.from(signature, 'base64')));
  if (!isSigned) stage.breaches.add('a statement is signed by none of the published keys');
  return `a statement of ${lines.length} lines`;
}

function isSignedBy(key: string, text: string, signature: Buffer): boolean {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(key, 'hex')]);
  return verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: der, format: 'der', type: 'spki' }),
    signature,
  );
}
