import type { SandboxInfo } from '../info.js';
import { type Api, createOperatorApi } from './api.js';

export type Move = 'prepare' | 'ready' | 'collect' | 'cancel';

/** Preparation cannot begin before the payment is final, some 13 seconds after it landed. */
const availableWithinMs = 60_000;
const pollMs = 500;

/**
 * Does a move as an operator, for a collection with the customer's code, by the operator API and the token of the sandbox's first one, once it can be done. Throws
 * with what the API said when it refused.
 */
export async function operatorMove(
  info: SandboxInfo,
  move: Move,
  id: string,
  more: { note: string; pickup_code?: string },
): Promise<void> {
  await untilAvailable(info, move, id);
  const agreed = move === 'cancel' ? { physical_gold_committed: false } : {};
  const bar = move === 'ready' ? await findFreeBar(info, id) : {};
  await operatorApi(info).post(`/redemptions/${id}/${move}`, { ...agreed, ...bar, ...more });
}

/** Returns a bar that a redemption can have: of its denomination, in stock in its city. */
async function findFreeBar(info: SandboxInfo, id: string) {
  const { city, denomination_id: denominationId } = await readCase(info, id);
  const query = new URLSearchParams({
    status: 'in_stock',
    city,
    denomination_id: denominationId,
    limit: '1',
  });
  const { bars } = await operatorApi(info).get<{ bars: { serial: string; refiner: string }[] }>(
    `/bars?${query}`,
  );
  const [bar] = bars;
  if (!bar) throw new Error(`No ${denominationId} is in stock in ${city}: add a bar`);
  return { bar_serial: bar.serial, bar_refiner: bar.refiner };
}

/** What the operator API shows of a redemption. */
interface RedemptionCase {
  city: string;
  denomination_id: string;
  available_actions: string[];
  burn_due_at: string | null;
  settlement: { status: string; tx_hash: string } | null;
}

/** Reads a redemption as an operator. */
export function readCase(info: SandboxInfo, id: string): Promise<RedemptionCase> {
  return operatorApi(info).get(`/redemptions/${id}`);
}

/** Announces the burn of a collected redemption, once that can be done, by two operators where the sandbox requires two. */
export async function announceBurn(info: SandboxInfo, id: string): Promise<void> {
  await untilAvailable(info, 'burn', id);
  const { approval_id: approval } = await operatorApi(info).post<{ approval_id?: string }>(
    `/redemptions/${id}/burn`,
  );
  if (approval !== undefined) await operatorApi(info, 1).post(`/approvals/${approval}/approve`);
}

function operatorApi({ operators, operator_url: url }: SandboxInfo, which = 0): Api {
  const operator = operators[which];
  if (!operator) throw new Error(`The sandbox has no operator ${which + 1}`);
  return createOperatorApi(url, operator.token);
}

/** Waits until the API offers the move. After that time the move itself fails with the reason. */
async function untilAvailable(info: SandboxInfo, move: Move | 'burn', id: string): Promise<void> {
  const end = Date.now() + availableWithinMs;
  while (Date.now() < end) {
    if ((await readCase(info, id)).available_actions.includes(move)) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
