import { CommandError } from '../command.js';
import { impoverish, newCustomer } from './customer.js';
import { passTime, Refusal, type Sandbox, sendUnchecked, sign, until } from './sandbox.js';

/** What moves a redemption on: the partner's request, or an operator's action. */
type Move = 'prepare' | 'ready' | 'collect' | 'burn' | 'request cancellation' | 'cancel' | 'refund';

/** How a submitted redemption gets to where the event is. */
const ways = {
  preparing: ['prepare'],
  ready: ['prepare', 'ready'],
  collected: ['prepare', 'ready', 'collect'],
  burned: ['prepare', 'ready', 'collect', 'burn'],
  cancellation_requested: ['request cancellation'],
  cancelled: ['request cancellation', 'cancel'],
  refunded: ['request cancellation', 'cancel', 'refund'],
} satisfies Record<string, Move[]>;

export type MovedTo = keyof typeof ways;

/** The move that has brought a redemption to its status. */
const lastMoves: Record<string, Move | undefined> = {
  preparing: 'prepare',
  ready: 'ready',
  collected: 'collect',
  cancellation_requested: 'request cancellation',
  cancelled: 'cancel',
};

/** Has a new customer redeem a bar. Returns the redemption's id. */
export async function redeem(sandbox: Sandbox): Promise<string> {
  const { id, signed } = await quoteRedemption(sandbox);
  await sandbox.api('POST', `/v1/redemptions/${id}/submit`, { signed_tx: signed });
  sandbox.note(`submitted ${id}`);
  return id;
}

/** Has the payment of a redemption fail on chain: the customer no longer has the gold. */
export async function failRedemption(sandbox: Sandbox): Promise<string> {
  const { id, signed, customer } = await quoteRedemption(sandbox);
  await impoverish(sandbox, customer);
  await sendUnchecked(sandbox, signed);
  return id;
}

async function quoteRedemption(sandbox: Sandbox) {
  const { info, api } = sandbox;
  const [bar] = info.denominations;
  if (!bar) throw new CommandError('sandbox.json names no denomination');
  const customer = await newCustomer(sandbox);
  const quote = await api<{ redemption_id: string; partially_signed_transaction: string }>(
    'POST',
    '/v1/redemptions',
    { service_user_id: customer.id, denomination_id: bar.id, city: bar.city },
  );
  const signed = await sign(quote.partially_signed_transaction, [customer.wallet]);
  return { customer, id: quote.redemption_id, signed };
}

/** Brings a redemption, a given one or a new one, to where it is wanted. Throws a `CommandError` for one that is past that. */
export async function moveRedemption(sandbox: Sandbox, to: MovedTo, given?: string): Promise<string> {
  const id = given ?? (await redeem(sandbox));
  const { status } = await until('the redemption is recorded', () => findCase(sandbox, id, given));
  const last = lastMoves[status];
  const way: Move[] = ways[to];
  const done = last === undefined ? 0 : way.indexOf(last) + 1;
  const left = way.slice(done);
  if ((last !== undefined && done === 0) || left.length === 0 || status === 'failed') {
    throw new CommandError(`${id} is ${status}, from where nothing brings it to ${to}`);
  }
  for (const move of left) await make(sandbox, id, move);
  return id;
}

interface Case {
  status: string;
  city: string;
  denomination_id: string;
  weight_g: number;
  bar: object | null;
  available_actions: string[];
  burn_due_at: string | null;
}

/** Reads a redemption; one that was only just submitted may not be recorded yet. */
async function findCase({ operate }: Sandbox, id: string, given?: string): Promise<Case | undefined> {
  const found = operate<Case>('GET', `/redemptions/${encodeURIComponent(id)}`);
  return given === undefined ? found.catch(() => undefined) : found;
}

async function make(sandbox: Sandbox, id: string, move: Move): Promise<void> {
  const { api, operate, note } = sandbox;
  if (move === 'request cancellation') {
    note('partner: request cancellation');
    await api('POST', `/v1/redemptions/${id}/cancel`, { reason: 'karat trigger' });
    return;
  }
  note(`operator: ${move}${move === 'prepare' ? ', once the payment is final (about 13 s)' : ''}`);
  await until(`an operator can ${move}`, async () => {
    const { available_actions: actions } = await operate<Case>('GET', `/redemptions/${id}`);
    return actions.includes(move) || undefined;
  });
  const bodies: Partial<Record<Move, object>> = {
    // The code is the partner's to read, and a given redemption may be another partner's.
    collect: { without_code: { reason: 'karat trigger' } },
    cancel: { physical_gold_committed: false, note: 'karat trigger' },
    refund: {},
    burn: {},
  };
  const body = bodies[move] ?? { note: 'karat trigger' };
  const takesBar = move === 'ready' || move === 'collect';
  await untilTaken(async () => {
    const bar = takesBar ? await findBarFor(sandbox, id) : {};
    return operate('POST', `/redemptions/${id}/${move}`, { ...body, ...bar });
  });
  if (move === 'burn') await waitForBurn(sandbox, id);
}

/** Repeats what another trigger took the bar of: each time one of them gets its own. */
async function untilTaken(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === 10 || !(error instanceof Refusal && error.text.includes('bar_not_available')))
        throw error;
    }
  }
}

interface Bar {
  serial: string;
  refiner: string;
}

/** Names a bar for a redemption that has none: one in stock, or one that is added where there is none. */
async function findBarFor({ operate, note }: Sandbox, id: string): Promise<object> {
  const {
    bar,
    city,
    denomination_id: denominationId,
    weight_g: weightG,
  } = await operate<Case>('GET', `/redemptions/${id}`);
  if (bar) return {};
  const query = new URLSearchParams({
    status: 'in_stock',
    city,
    denomination_id: denominationId,
    limit: '1',
  });
  const inStock = (await operate<{ bars: Bar[] }>('GET', `/bars?${query}`)).bars;
  if (inStock.length === 0) note(`operator: add a bar, since none is in stock in ${city}`);
  const added = {
    serial: `TRIGGER-${id.slice(-12)}`,
    refiner: 'Valcambi',
    fineness: 999.9,
    weight_g: weightG,
  };
  const [found] =
    inStock.length > 0
      ? inStock
      : (await operate<{ bars: Bar[] }>('POST', '/bars', { ...added, denomination_id: denominationId, city }))
          .bars;
  return found ? { bar_serial: found.serial, bar_refiner: found.refiner } : {};
}

/** Moves the clock to when the announced burn is done, by the keeper. */
async function waitForBurn(sandbox: Sandbox, id: string): Promise<void> {
  const { operate, rpc } = sandbox;
  const dueAt = await until('the burn is announced', async () => {
    const { burn_due_at: due } = await operate<Case>('GET', `/redemptions/${id}`);
    return due ?? undefined;
  });
  const { unixTimestamp: now } = await rpc<{ unixTimestamp: number }>('karat_warp', { slots: 0 });
  const seconds = Math.ceil(Date.parse(dueAt) / 1_000) - now + 2;
  await passTime(sandbox, seconds, 'after which the keeper burns the tokens');
}
