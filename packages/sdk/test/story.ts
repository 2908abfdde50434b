import { Karat, KaratError, mintApiKey, type StandardWallet, verifyWebhook } from '@karat/sdk';
import { createKeyPairSignerFromBytes, signBytes } from '@solana/kit';

/** What a partner does on whichever platform: the same code runs in Node and in a browser. */
export interface Stage {
  baseUrl: string;
  partnerId: string;
  /** 64 bytes each: seed and public key. */
  partnerKey: number[];
  userKey: number[];
  userId: string;
}

export async function playStory(stage: Stage) {
  const partner = await createKeyPairSignerFromBytes(Uint8Array.from(stage.partnerKey));
  const user = await createKeyPairSignerFromBytes(Uint8Array.from(stage.userKey));
  const { baseUrl, partnerId } = stage;
  const minted = await mintApiKey({
    baseUrl,
    partnerId,
    walletAddress: partner.address,
    keyName: 'sdk',
    signMessage: (message: Uint8Array) => signBytes(partner.keyPair.privateKey, message),
  });
  const karat = new Karat({ apiKey: minted.api_key, baseUrl: `${baseUrl}/` });
  const customer = await karat.users.create({
    user_id: stage.userId,
    wallet_address: user.address,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2026-01-15T09:30:00Z',
    },
  });
  const service_user_id = customer.service_user_id;
  const bought = await karat.buys.execute({ service_user_id, gold_amount: 0.5, signers: [user, partner] });
  /** A wallet as browsers have it: it signs whole transactions. */
  const wallet: StandardWallet = {
    accounts: [{ address: user.address }],
    features: {
      'solana:signTransaction': {
        signTransaction: async ({ transaction }: { transaction: Uint8Array }) => {
          const signed = transaction.slice();
          const count = signed[0] ?? 0;
          const message = signed.slice(1 + 64 * count);
          const signature = await signBytes(user.keyPair.privateKey, message);
          const own = indexOfKey(message, Uint8Array.from(stage.userKey.slice(32)));
          signed.set(signature, 1 + 64 * own);
          return [{ signedTransaction: signed }];
        },
      },
    },
  };
  const sold = await karat.sells.execute({ service_user_id, usdc_amount: 100, signers: [partner, wallet] });
  const redeemed = await karat.redemptions.execute({
    service_user_id,
    denomination_id: 'pk_tola_1',
    city: 'Karachi',
    signers: [user],
  });
  const listed: string[] = [];
  for await (const trade of karat.trades.list({ service_user_id, limit: 1 })) listed.push(trade.trade_id);
  const log: string[] = [];
  for await (const { type } of karat.events.list({ object_id: bought.trade_id, limit: 1 })) log.push(type);
  const refusal = await karat.buys
    .quote({ service_user_id, usdc_amount: -5 })
    .catch((error: unknown) => error);
  return {
    me: (await karat.me()).partner_id,
    price: (await karat.prices.get()).price_per_troy_oz,
    countries: (await karat.countries.list()).map(({ code }) => code),
    gold: (await karat.users.balances(service_user_id)).gold,
    bought,
    sold,
    redeemed,
    listed,
    log,
    operation: (await karat.operations.outcome(bought.trade_id)).kind,
    refusal: refusal instanceof KaratError && {
      code: refusal.code,
      field: refusal.field,
      status: refusal.status,
      requestId: typeof refusal.requestId,
    },
    webhook: await webhooks(),
  };
}

/** Position of a signer among the accounts of a legacy message of few accounts. */
function indexOfKey(message: Uint8Array, key: Uint8Array): number {
  const start = (message[0] ?? 0) & 0x80 ? 5 : 4;
  for (let at = 0; at < 4; at += 1) {
    if (key.every((byte, place) => message[start + 32 * at + place] === byte)) return at;
  }
  throw new Error('the wallet is no signer');
}

async function webhooks() {
  const secret = `whsec_${btoa('a secret of thirty-two bytes ...')}`;
  const body = JSON.stringify({ id: 'evt_1', type: 'trade.confirmed' });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const bytes = (text: string) => new TextEncoder().encode(text);
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes('a secret of thirty-two bytes ...'), hash, false, [
    'sign',
  ]);
  const made = await crypto.subtle.sign('HMAC', key, bytes(`evt_1.${timestamp}.${body}`));
  const signature = `v1,${btoa(String.fromCharCode(...new Uint8Array(made)))}`;
  const headers = {
    'Webhook-Id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,x ${signature}`,
  };
  const codeOf = (error: unknown) => (error instanceof KaratError ? error.code : String(error));
  return {
    right: (await verifyWebhook(body, new Headers(headers), secret)).type,
    changed: await verifyWebhook(`${body} `, headers, secret).catch(codeOf),
    old: await verifyWebhook(body, { ...headers, 'webhook-timestamp': '1700000000' }, secret).catch(codeOf),
  };
}
