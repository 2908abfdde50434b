import { asUuid, type Uuid } from './ids.js';
import { type OrderKind, orderKinds } from './order.js';

/**
 * Which order a transaction carries out, as its memo says: `karat|1|purchase|<uuid>|<figure>`. The memo proves nothing
 * alone: anybody may write one. It counts only when the order's own signer signed it, and beside the very call that the
 * order asked for.
 */
export interface OrderMemo {
  kind: OrderKind;
  orderId: Uuid;
  /** Base units of GOLD (of the token for a withdrawal); for a change of executives the number of its addresses. */
  figure: bigint;
}

/** What a memo's figure is taken from: an order as it is built, or the call that carries it out. */
type FigureTerms =
  | { kind: 'purchase' | 'sale'; goldAmount: bigint }
  | { kind: 'withdrawal'; amount: bigint }
  | { kind: 'executive_update'; added: readonly string[]; removed: readonly string[] };

const pattern = new RegExp(`^karat\\|1\\|(${orderKinds.join('|')})\\|([0-9a-f-]{36})\\|([1-9]\\d{0,19})$`);
const maxU64 = 2n ** 64n - 1n;

/** The memo text of a transaction that carries out an order. */
export function formatOrderMemo({ kind, orderId, figure }: OrderMemo): string {
  return `karat|1|${kind}|${orderId}|${figure}`;
}

/** The memo, or undefined for any text that `formatOrderMemo` cannot have written. */
export function parseOrderMemo(text: string): OrderMemo | undefined {
  const [, kind, id = '', figure = '0'] = pattern.exec(text) ?? [];
  const orderId = asUuid(id);
  if (!kind || orderId !== id || BigInt(figure) > maxU64) return undefined;
  return { kind: kind as OrderKind, orderId, figure: BigInt(figure) };
}

/** The figure that the memo of such an order has. */
export function figureOf(terms: FigureTerms): bigint {
  switch (terms.kind) {
    case 'purchase':
    case 'sale':
      return terms.goldAmount;
    case 'withdrawal':
      return terms.amount;
    case 'executive_update':
      return BigInt(terms.added.length + terms.removed.length);
  }
}
