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
  await operatorApi(info).post(`/redemptions/${id}/${move}`, { ...agreed, ...more });
}

/** What the operator API shows of a redemption. */
interface RedemptionCase {
  available_actions: string[];
  burn_tx_hash: string | null;
}

/** Reads a redemption as an operator. */
export function readCase(info: SandboxInfo, id: string): Promise<RedemptionCase> {
  return operatorApi(info).get(`/redemptions/${id}`);
}

/** Announces the burn of a collected redemption, once that can be done. */
export async function announceBurn(
  info: SandboxInfo,
  id: string,
): Promise<{ burn_due_at: string; tx_hash: string }> {
  await untilAvailable(info, 'burn', id);
  return operatorApi(info).post(`/redemptions/${id}/burn`);
}

function operatorApi(info: SandboxInfo): Api {
  const [operator] = info.operators;
  if (!operator) throw new Error('The sandbox has no operator');
  return createOperatorApi(info.operator_url, operator.token);
}

/** Waits until the API offers the move. After that time the move itself fails with the reason. */
async function untilAvailable(info: SandboxInfo, move: Move | 'burn', id: string): Promise<void> {
  const end = Date.now() + availableWithinMs;
  while (Date.now() < end) {
    if ((await readCase(info, id)).available_actions.includes(move)) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
