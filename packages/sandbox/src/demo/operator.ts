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
  const [operator] = info.operators;
  if (!operator) throw new Error('The sandbox has no operator');
  const api = createOperatorApi(info.operator_url, operator.token);
  await untilAvailable(api, move, id);
  const agreed = move === 'cancel' ? { physical_gold_committed: false } : {};
  await api.post(`/redemptions/${id}/${move}`, { ...agreed, ...more });
}

/** Waits until the API offers the move. After that time the move itself fails with the reason. */
async function untilAvailable(api: Api, move: Move, id: string): Promise<void> {
  const end = Date.now() + availableWithinMs;
  while (Date.now() < end) {
    const { available_actions: actions } = await api.get<{ available_actions: string[] }>(
      `/redemptions/${id}`,
    );
    if (actions.includes(move)) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
