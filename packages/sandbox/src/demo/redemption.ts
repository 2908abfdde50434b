import type { components, Redemption } from '@karat/sdk';
import { formatFixed, tokenDecimals } from '@karat/service/domain';
import type { Cast } from './cast.js';
import type { Balances } from './chain.js';
import { refusal } from './key.js';
import { type Move, operatorMove } from './operator.js';
import { change, customerBalances, signAndSubmit } from './transaction.js';

type Denomination = components['schemas']['Denomination'];

/** Returns the smallest bar that can be picked up in Pakistan. */
export async function chooseBar({ karat, teller }: Cast): Promise<Denomination> {
  return teller.step('List the bars that can be picked up in Pakistan', async (figure) => {
    const denominations = await karat.countries.denominations({ country: 'PK' });
    for (const { label, weight_troy_oz, city } of denominations) {
      figure(label, `${weight_troy_oz} troy oz, ${city}`);
    }
    const [smallest] = denominations.toSorted((a, b) => a.weight_g - b.weight_g);
    if (!smallest) throw new Error('No bar can be picked up in Pakistan');
    return smallest;
  });
}

/** Quotes a redemption and pays it into escrow: the record is `submitted` then. */
export async function redeem(cast: Cast, bar: Denomination): Promise<Redemption> {
  const { karat, teller, customer } = cast;
  const before = await customerBalances(cast);
  const wanted = { service_user_id: customer.serviceUserId, denomination_id: bar.id, city: bar.city };
  const quoted = await teller.step(`Request a quote for a ${bar.label}`, async (figure) => {
    const response = await karat.redemptions.quote(wanted);
    figure('redemption', response.redemption_id);
    figure('price', `${response.quote.spot_price_usd} USD per troy ounce`);
    figure('gold', `${response.quote.gold_value_usd} USD, and a fee of ${response.quote.fee_usd} USD`);
    figure('customer pays', `${response.quote.tokens_required} GOLD`);
    return response;
  });
  const { redemption_id: id } = quoted;
  const sign = () => karat.redemptions.sign(quoted, { ...wanted, signers: [customer.wallet] });
  const submit = (signed: string) => karat.redemptions.submit(id, signed);
  const hash = await teller.step('Sign as customer, submit, confirm', (figure) =>
    signAndSubmit(cast, { id, sign, submit }, figure),
  );
  return teller.step('Read the redemption that the indexer moved', async (figure) => {
    const record = await karat.redemptions.get(id);
    figure('status', record.status);
    if (record.status !== 'submitted' || record.submitted_tx_hash !== hash) {
      throw new Error(`The record is ${record.status}, of ${record.submitted_tx_hash}`);
    }
    figure('GOLD', requirePaid(before, await customerBalances(cast), record.quote.tokens_required));
    return record;
  });
}

/** Returns the change of the customer's GOLD, which must be exactly the tokens of the quote, and of nothing else. */
function requirePaid(before: Balances, after: Balances, tokens: string): string {
  const paid = formatFixed(before.gold - after.gold, tokenDecimals);
  if (paid !== tokens || before.usdc !== after.usdc) throw new Error(`The customer paid ${paid} GOLD`);
  return `${change(before.gold, after.gold)}, held in escrow`;
}

/** The operator hands the bar over; the partner only reads, and comes too late with a cancellation. */
export async function handOver(cast: Cast, { redemption_id: id, city }: Redemption): Promise<void> {
  await operator(cast, 'prepare', id, 'preparing', `The bar is being brought to ${city}`);
  await cast.teller.step('Partner: request cancellation, which is too late', async (figure) => {
    const cancel = () => cast.karat.redemptions.cancel(id, 'Changed my mind');
    figure('response', await refusal('cancellation_not_allowed', cancel));
  });
  await operator(cast, 'ready', id, 'ready', `The bar is ready in ${city}`);
  const code = await cast.teller.step('Partner: read the pickup code', async (figure) => {
    const { pickup_code: read } = await cast.karat.redemptions.get(id);
    if (read === undefined) throw new Error('The redemption is ready and has no pickup code');
    figure('code', `${read.slice(0, 2)}******, for the customer alone`);
    return read;
  });
  await operator(cast, 'collect', id, 'collected', 'The customer showed the code and an identity card', code);
}

/**
 * The partner requests the cancellation and the operator agrees. The tokens stay in escrow until an operator refunds
 * them.
 */
export async function cancel(cast: Cast, { redemption_id: id }: Redemption): Promise<void> {
  const { karat, teller } = cast;
  const reason = 'The customer is travelling';
  const before = await customerBalances(cast);
  await teller.step('Partner: request cancellation', async (figure) => {
    const response = await karat.redemptions.cancel(id, reason);
    figure('reason', reason);
    figure('status', response.status);
  });
  await operator(cast, 'cancel', id, 'cancelled', 'No bar was set aside yet');
  await teller.step("Compare the customer's balance: the tokens stay in escrow", async (figure) => {
    const record = await karat.redemptions.get(id);
    const after = await customerBalances(cast);
    figure('reason', String(record.cancellation_reason));
    figure('GOLD', change(before.gold, after.gold));
    if (record.cancellation_reason !== reason) throw new Error('The record has another reason');
    if (after.gold !== before.gold) throw new Error('The balance moved');
  });
}

/** An operator's move, and that the partner sees it at once. */
async function operator(
  cast: Cast,
  move: Move,
  id: string,
  status: string,
  note: string,
  code?: string,
): Promise<void> {
  const { karat, teller, sandbox } = cast;
  await teller.step(`Operator: ${move}`, async (figure) => {
    await operatorMove(sandbox.info, move, id, {
      note,
      ...(code === undefined ? {} : { pickup_code: code }),
    });
    const record = await karat.redemptions.get(id);
    figure('note', note);
    figure('status', record.status);
    if (record.status !== status) throw new Error(`The redemption is ${record.status}, not ${status}`);
  });
}
