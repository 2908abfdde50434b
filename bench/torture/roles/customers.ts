/** Customers of partners with the SDK, and a partner that sends to the node itself. */
import { setTimeout as pause } from 'node:timers/promises';
import { kitSigner } from '../../../packages/service/test/harness.js';
import { tola } from '../../../packages/service/test/redeeming.js';
import { type Act, type Caller, firstOf, pick, type SignedTrade, type Stage, signedTrade } from '../stage.js';

const traderOf =
  (side: SignedTrade['side']): Act =>
  async (stage, operation, number) => {
    const caller = stage.caller(operation.user);
    const { id, signed } = await signedTrade(stage, caller, side, operation, number);
    const submit = (to: number) => stage.client(caller.partner, to)[side].submit(id, signed);
    await firstOf([submit(number), ...(operation.twice ? [submit(number + 1)] : [])]);
    stage.acknowledge('trade', id, caller.partner);
    return id;
  };
export const buyer = traderOf('buys');
export const seller = traderOf('sells');

/** Pays for a bar of a tola; the id of the redemption. */
export async function redeem(stage: Stage, { partner, user }: Caller, twice: boolean, number: number) {
  const body = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
  const karat = stage.client(partner, number);
  const quote = await karat.redemptions.quote(body);
  const { redemption_id: id } = quote;
  const signed = await karat.redemptions.sign(quote, { ...body, signers: [await kitSigner(user.wallet)] });
  const submit = (to: number) => stage.client(partner, to).redemptions.submit(id, signed);
  await firstOf([submit(number), ...(twice ? [submit(number + 1)] : [])]);
  stage.acknowledge('redemption', id, partner);
  return id;
}

export const redeemer: Act = (stage, { user, twice }, number) =>
  redeem(stage, stage.caller(user), twice, number);

export const canceller: Act = (stage, { amount }, number) => {
  const { id, apiKey } = pick(stage.redemptions, amount);
  return stage.client({ apiKeys: [apiKey] }, number).redemptions.cancel(id);
};

/** Longer than the life of a blockhash on this chain. */
const expiredAfterMs = 45_000;

/** Trades as the chain lets everyone: with the node instead of the service, once, again, late, too late, and something else. */
export const direct: Act = async (stage, operation, number) => {
  const caller = stage.caller(operation.user);
  const side = operation.amount % 2 === 0 ? 'buys' : 'sells';
  const trade = await signedTrade(stage, caller, side, operation, number);
  const wire = Buffer.from(trade.signed, 'base64');
  const submit = () => stage.client(caller.partner, number)[side].submit(trade.id, trade.signed);
  const straight = () => stage.world.chain.sendStraight(wire);
  const { sendings, name } = pick(
    [
      { name: 'straight', sendings: () => [straight()] },
      { name: 'straight, twice', sendings: () => [straight(), straight()] },
      { name: 'straight and submitted', sendings: () => [straight(), submit(), submit()] },
      { name: 'late', sendings: () => [pause(operation.user * 10).then(straight), submit()] },
      {
        name: 'expired',
        sendings: () => [pause(expiredAfterMs).then(straight), pause(expiredAfterMs).then(submit)],
      },
      { name: 'changed', sendings: () => changed(stage, caller, trade) },
    ],
    operation.user,
  );
  const outcomes = await Promise.allSettled(sendings());
  return [
    name,
    trade.id,
    ...outcomes.map((each) => (each.status === 'fulfilled' ? each.value : `${each.reason}`)),
  ];
};

/** Sends a transaction in which a wallet has changed a byte after the service signed, and signs it again itself. */
export function changed(
  stage: Stage,
  { partner, user }: Caller,
  { side, id, signed }: SignedTrade,
): Promise<unknown>[] {
  const wire = Uint8Array.from(Buffer.from(signed, 'base64'));
  const count = wire[0] ?? 0;
  const begin = 1 + 64 * count;
  // The amounts stand at the end of the message or near it: one more, or one less.
  const at = wire.length - 1 - (id.charCodeAt(id.length - 1) % 40);
  wire[at] = ((wire[at] ?? 0) + 1) % 256;
  const message = wire.subarray(begin);
  for (let signer = 0; signer < count; signer += 1) {
    const address = Buffer.from(message.subarray(4 + 32 * signer, 36 + 32 * signer));
    const wallet = [partner.wallet, user.wallet].find((one) => address.equals(one.secretKey.subarray(32)));
    if (wallet) wire.set(wallet.signBytes(message), 1 + 64 * signer);
  }
  const text = Buffer.from(wire).toString('base64');
  return [
    stage.world.chain.sendStraight(wire).then((signature) => stage.forged.push(signature)),
    stage
      .client(partner, 0)
      [side].submit(id, text)
      .then(() => stage.breaches.add(`a changed transaction of ${id} was accepted`)),
  ];
}
