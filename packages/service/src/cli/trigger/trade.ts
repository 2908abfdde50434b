import { impoverish, newCustomer } from './customer.js';
import { lifetimeSeconds, passTime, Refusal, type Sandbox, sendUnchecked, sign } from './sandbox.js';

/** Has a new customer buy gold. Returns the trade's id. */
export async function buy(sandbox: Sandbox): Promise<string> {
  const { id, signed } = await quoteBuy(sandbox);
  await sandbox.api('POST', `/v1/buy/${id}/submit`, { signed_tx: signed });
  sandbox.note(`submitted ${id}`);
  return id;
}

/** Has a buy fail on chain: the customer can no longer pay for it. */
export async function failBuy(sandbox: Sandbox): Promise<string> {
  const { id, signed, customer } = await quoteBuy(sandbox);
  await impoverish(sandbox, customer);
  await sendUnchecked(sandbox, signed);
  return id;
}

/** Has a buy submitted that never arrives at the node, and whose time is over then. */
export async function expireBuy(sandbox: Sandbox): Promise<string> {
  const { id, signed } = await quoteBuy(sandbox);
  sandbox.note('keeping the transaction from the node');
  const fault = { method: 'sendTransaction', mode: 'close', times: 1_000, about: signed };
  await sandbox.rpc('karat_injectFault', fault);
  await sandbox.api('POST', `/v1/buy/${id}/submit`, { signed_tx: signed }).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.status !== 503) throw error;
  });
  await passTime(sandbox, lifetimeSeconds, 'after which the transaction can no longer land');
  return id;
}

async function quoteBuy(sandbox: Sandbox) {
  const customer = await newCustomer(sandbox);
  const quote = await sandbox.api<{ trade_id: string; partially_signed_transaction: string }>(
    'POST',
    '/v1/buy',
    { service_user_id: customer.id, usdc_amount: 100 },
  );
  const signers = [customer.wallet, await sandbox.key(sandbox.partner.wallet_keypair)];
  const signed = await sign(quote.partially_signed_transaction, signers);
  return { customer, id: quote.trade_id, signed };
}
