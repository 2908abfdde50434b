import { Karat, KaratError, mintApiKey, type StandardWallet, verifyWebhook } from '@karat/sdk';
import {
  AccountRole,
  address,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  type KeyPairSigner,
  signBytes,
} from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { saveCandles } from '../../service/src/db/market/price-candles.js';
import { candlesOf } from '../../service/src/domain/candle.js';
import { newId } from '../../service/src/domain/ids.js';
import { compile, cosign } from '../../service/test/chain/signed-trade.js';
import { newWallet, type Wallet } from '../../service/test/harness.js';
import { hang, type LyingNode, Refused, startLyingNode } from '../../service/test/indexer/lying-node.js';
import { eventually } from '../../service/test/karat-chain.js';
import { startReceiver } from '../../service/test/webhooks.js';
import { type Stack, startStack } from './stack.js';

let stack: Stack;
let node: LyingNode;
let karat: Karat;
let partner: KeyPairSigner;
let user: KeyPairSigner;
let service_user_id: string;

beforeAll(async () => {
  stack = await startStack({
    async reroute({ rpcUrl, wsUrl }) {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
  const { user: given, chain } = stack;
  await chain.node.setTokenBalance(given.wallet.address, chain.goldMint, 50_000_000n);
  karat = new Karat({ apiKey: stack.partner.apiKey, baseUrl: stack.baseUrl, maxRetries: 0 });
  partner = await signerOf(stack.partner.wallet);
  user = await signerOf(given.wallet);
  service_user_id = given.id;
});
afterEach(() => {
  node.lie = undefined;
});
afterAll(async () => {
  await stack?.stop();
  await node?.close();
});

const signerOf = (wallet: Wallet) => createKeyPairSignerFromBytes(wallet.secretKey);

const failureOf = (call: PromiseLike<unknown>): Promise<KaratError> =>
  Promise.resolve(call).then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as KaratError,
  );

test('keys are minted with the wallet of the partner, and with no other', async () => {
  const mint = (signer: KeyPairSigner) =>
    mintApiKey({
      baseUrl: stack.baseUrl,
      partnerId: stack.partner.partnerId,
      walletAddress: partner.address,
      keyName: 'sdk',
      signMessage: (message) => signBytes(signer.keyPair.privateKey, message),
    });
  const minted = await mint(partner);
  stack.service.secrets.add(minted.api_key);
  const own = new Karat({ apiKey: minted.api_key, baseUrl: stack.baseUrl });
  expect((await own.me()).key).toMatchObject({ key_id: minted.key_id, key_name: 'sdk' });
  const refusal = await failureOf(mint(user));
  expect(refusal).toBeInstanceOf(KaratError);
  expect(refusal).toMatchObject({ code: 'invalid_signature', status: 400, requestId: expect.any(String) });
});

test('users are registered, read and listed', async () => {
  const body = (wallet: Wallet) => ({
    user_id: wallet.address,
    wallet_address: wallet.address,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full' as const,
      kyc_verified_at: '2026-01-15T09:30:00Z',
    },
  });
  const wanted = body(newWallet());
  const created = await karat.users.create(wanted, { idempotencyKey: wanted.user_id });
  // The same key takes effect once.
  expect(await karat.users.create(wanted, { idempotencyKey: wanted.user_id })).toEqual(created);
  expect(await failureOf(karat.users.create(wanted))).toMatchObject({
    code: 'user_already_exists',
    status: 409,
    body: { service_user_id: created.service_user_id },
  });
  expect(await karat.users.get(created.service_user_id)).toMatchObject({ user_id: wanted.user_id });
  expect(await karat.users.balances(created.service_user_id)).toMatchObject({ gold: 0, usdc: 0 });
  const ids: string[] = [];
  for await (const one of karat.users.list({ limit: 1 })) ids.push(one.service_user_id);
  expect(ids).toEqual([created.service_user_id, service_user_id]);
  expect((await karat.users.list({ limit: 1 })).map((one) => one.service_user_id)).toEqual(ids);
  expect((await karat.users.list().take(1)).map((one) => one.service_user_id)).toEqual(ids.slice(0, 1));
});

test('a call that is given up ends with the reason', async () => {
  const end = new AbortController();
  const call = failureOf(karat.operations.get(newId('trd'), { wait: 30 }, { signal: end.signal }));
  end.abort(new Error('no longer wanted'));
  expect((await call).message).toBe('no longer wanted');
});

describe('a trade', () => {
  const buy = { usdc_amount: 100 };
  const wallet = (): StandardWallet => ({
    accounts: [{ address: partner.address }, { address: user.address }],
    features: {
      'solana:signTransaction': {
        async signTransaction(input: { account: { address: string }; transaction: Uint8Array }) {
          const owners = [stack.partner.wallet, stack.user.wallet];
          const signer = owners.filter((one) => one.address === input.account.address);
          return [{ signedTransaction: cosign(input.transaction, signer) }];
        },
      },
    },
  });
  const [customerAccount, sellInUsdc] = [{ address: '' }, { usdc_amount: 10 }];
  beforeAll(() => Object.assign(customerAccount, { address: user.address }));

  test('a trade is signed by keys, wallets, signers that change it, and elsewhere', async () => {
    const elsewhere = (bytes: Uint8Array) => cosign(bytes, [stack.user.wallet]);
    const changing = {
      address: address(user.address),
      modifyAndSignTransactions: async (transactions: readonly { messageBytes: Uint8Array }[]) =>
        Promise.all(
          transactions.map(async (one) => {
            const signature = await signBytes(user.keyPair.privateKey, one.messageBytes);
            const signatures = 'signatures' in one ? (one.signatures as object) : {};
            return { ...one, signatures: { ...signatures, [user.address]: signature } };
          }),
        ),
    };
    const customers = [user, { wallet: wallet(), account: customerAccount }, changing, elsewhere];
    for (const customer of customers) {
      const trade = await karat.buys.execute({ service_user_id, ...buy, signers: [partner, customer] });
      expect(trade).toMatchObject({ side: 'buy', status: 'confirmed', usdc_amount: 100 });
    }
    // The first account of a wallet signs unless one is named.
    const trade = await karat.sells.execute({ service_user_id, ...sellInUsdc, signers: [wallet(), user] });
    expect(trade).toMatchObject({ side: 'sell', status: 'confirmed' });
    expect(await karat.trades.get(trade.trade_id)).toEqual(trade);
    const sides: string[] = [];
    for await (const { side } of karat.trades.list({ service_user_id, limit: 2 })) sides.push(side);
    expect(sides).toEqual(['sell', 'buy', 'buy', 'buy', 'buy']);
    const stranger = await signerOf(newWallet());
    const signers = [partner, user, stranger];
    const refusal = failureOf(karat.buys.execute({ service_user_id, ...buy, signers }));
    expect(await refusal).toMatchObject({ code: 'signer_unknown' });
  });

  test('a trade that a signer replaces by another is signed by no key', async () => {
    const other = await karat.buys.quote({ service_user_id, usdc_amount: 60 });
    const replaced = Buffer.from(other.partially_signed_transaction, 'base64');
    let requested = 0;
    const key = {
      address: partner.address,
      signTransactions: async (...given: Parameters<KeyPairSigner['signTransactions']>) => {
        requested += 1;
        return partner.signTransactions(...given);
      },
    };
    const changing = {
      address: user.address,
      modifyAndSignTransactions: async ([one]: readonly { messageBytes: Uint8Array }[]) => [
        { ...one, messageBytes: one?.messageBytes.map((byte, at) => (at === 50 ? byte ^ 1 : byte)) },
      ],
    };
    const features = {
      'solana:signTransaction': { signTransaction: async () => [{ signedTransaction: replaced }] },
    };
    const replacing = { accounts: [{ address: user.address }], features };
    for (const signer of [() => replaced, changing, replacing, () => new Uint8Array()]) {
      const call = karat.buys.execute({ service_user_id, ...buy, signers: [key, signer] });
      expect(await failureOf(call)).toMatchObject({ code: 'transaction_changed' });
    }
    expect(requested).toBe(0);
  });

  test('a trade that is refused at submit throws the reason, and the id of the operation that has it', async () => {
    const desired = { service_user_id, usdc_amount: 50, min_gold_out: 1, signers: [partner, user] };
    const refused = await failureOf(karat.buys.execute(desired));
    expect(refused).toMatchObject({
      code: 'broadcast_failed',
      reason: 'slippage_exceeded',
      status: 400,
      docUrl: expect.stringContaining('slippage_exceeded'),
    });
    expect(await karat.operations.get(refused.operationId ?? '')).toMatchObject({
      status: 'submitted',
      reason: 'slippage_exceeded',
    });
    expect(
      await failureOf(karat.sells.execute({ ...sellInUsdc, service_user_id, signers: [partner] })),
    ).toMatchObject({ code: 'broadcast_failed', reason: 'signature_missing' });
  });

  test('a trade that fails on chain throws the reason of its record', async () => {
    const straight = async (bytes: Uint8Array) => {
      const signed = cosign(bytes, [stack.partner.wallet, stack.user.wallet]);
      await stack.chain.sendStraight(signed);
      return signed;
    };
    const desired = { service_user_id, usdc_amount: 50, min_gold_out: 1, signers: [straight] };
    expect(await failureOf(karat.buys.execute(desired))).toMatchObject({
      code: 'trade_failed',
      reason: 'slippage_exceeded',
      message: expect.stringContaining('SlippageExceeded'),
      operationId: expect.stringMatching(/^trd_/),
      body: { status: 'failed', record: { status: 'failed' } },
    });
  });

  test('a trade whose submit got no response is found on chain all the same', async () => {
    node.lie = async ({ method }, ask) => {
      const result = await ask();
      return method === 'sendTransaction' ? hang : result;
    };
    const trade = await karat.buys.execute({ service_user_id, ...buy, signers: [partner, user] });
    expect(trade.status).toBe('confirmed');
  });

  test('a trade that a lagging node does not know the blockhash of is sent again until it lands', async () => {
    let refused = 0;
    node.lie = async ({ method }, ask) => {
      if (method !== 'sendTransaction' || refused === 2) return ask();
      refused += 1;
      throw new Refused(-32002, 'Transaction simulation failed: Blockhash not found');
    };
    const trade = await karat.buys.execute({ service_user_id, ...buy, signers: [partner, user] });
    expect(trade.status).toBe('confirmed');
    expect(refused).toBe(2);
  });

  test('a trade that nothing is known of yet is waited for no longer than requested, and expires in the end', async () => {
    node.lie = async ({ method }, ask) => (method === 'sendTransaction' ? '1'.repeat(64) : ask());
    const quote = await karat.buys.quote({ service_user_id, ...buy });
    const transaction = Buffer.from(quote.partially_signed_transaction, 'base64');
    const signed = cosign(transaction, [stack.partner.wallet, stack.user.wallet]);
    await karat.buys.submit(quote.trade_id, Buffer.from(signed).toString('base64'));
    const early = await failureOf(karat.operations.outcome(quote.trade_id, { waitMs: 1_000 }));
    expect(early).toMatchObject({
      code: 'timeout',
      operationId: quote.trade_id,
      body: { status: 'submitted' },
    });
    const failure = failureOf(
      karat.sells.execute({ service_user_id, ...sellInUsdc, signers: [partner, user] }),
    );
    await eventually(async () => {
      const [last] = (await karat.events.list({ types: ['trade.submitted'] })).slice(-1);
      expect(last?.data).toMatchObject({ object_type: 'operation', object: { kind: 'sell' } });
    });
    stack.chain.node.warp({ slots: 400 });
    expect(await failure).toMatchObject({
      code: 'expired',
      operationId: expect.stringMatching(/^trd_/),
      body: { kind: 'sell', status: 'expired' },
    });
    expect(await karat.operations.outcome(quote.trade_id)).toMatchObject({ status: 'expired', record: null });
    node.lie = undefined;
    await eventually(() => karat.buys.quote({ service_user_id, ...buy }));
  });
});

/** An API that lies: `lie` gets the path of each call with what the true API responds, and gives what the SDK receives. */
function lyingApi(lie: (path: string, body: Record<string, unknown>, request: Request) => unknown) {
  const lying = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname;
    const response = await fetch(request.clone());
    return Response.json(await lie(path, await response.json(), request), { status: 200 });
  };
  return new Karat({ apiKey: stack.partner.apiKey, baseUrl: stack.baseUrl, maxRetries: 0, fetch: lying });
}

describe('an API that lies', () => {
  let requested = 0;
  const watched = (signer: KeyPairSigner) => ({
    address: signer.address,
    signTransactions: async (...given: Parameters<KeyPairSigner['signTransactions']>) => {
      requested += 1;
      return signer.signTransactions(...given);
    },
  });
  beforeEach(() => {
    requested = 0;
  });

  test('an API that responds to a buy with a transfer of 1 SOL gets no signature, and nothing moves', async () => {
    const thief = newWallet();
    const { rpcUrl } = stack.chain.node;
    const balance = async () =>
      (await createSolanaRpc(rpcUrl).getBalance(thief.address, { commitment: 'processed' }).send()).value;
    const { value } = await createSolanaRpc(rpcUrl).getLatestBlockhash().send();
    const data = Buffer.alloc(12);
    data.writeUInt32LE(2);
    data.writeBigUInt64LE(1_000_000_000n, 4);
    const transfer = {
      programAddress: address('11111111111111111111111111111111'),
      accounts: [
        { address: partner.address, role: AccountRole.WRITABLE_SIGNER },
        { address: thief.address, role: AccountRole.WRITABLE },
      ],
      data,
    };
    const { blockhash } = value;
    const bytes = compile({ feePayer: partner.address, blockhash, instructions: [transfer] });
    const stolen = Buffer.from(bytes).toString('base64');
    const lying = lyingApi(async (path, body, request) => {
      if (path === '/v1/buy') return { ...body, partially_signed_transaction: stolen };
      if (path.endsWith('/submit')) {
        const { signed_tx } = (await request.json()) as { signed_tx: string };
        return { tx_hash: await stack.chain.sendStraight(Buffer.from(signed_tx, 'base64')) };
      }
      if (path.startsWith('/v1/operations/')) return { status: 'confirmed', record: { status: 'confirmed' } };
      return body;
    });
    const bought = lying.buys.execute({ service_user_id, usdc_amount: 100, signers: [watched(partner)] });
    expect(await failureOf(bought)).toMatchObject({
      code: 'transaction_unexpected',
      field: 'fee_payer',
      message: expect.stringContaining('Nothing was signed'),
    });
    expect(requested).toBe(0);
    expect(await balance()).toBe(0n);
  });

  test('an API that responds with the quote of a larger trade, of another user or side gets no signature', async () => {
    const other = await karat.buys.quote({ service_user_id, usdc_amount: 1_000 });
    const stranger = await stack.given.user();
    const strange = await karat.buys.quote({ service_user_id: stranger.id, usdc_amount: 100 });
    for (const [quote, field] of [
      [other, 'amount'],
      [strange, 'user'],
    ] as const) {
      const lying = lyingApi((path, body) => (path === '/v1/buy' ? quote : body));
      const bought = lying.buys.execute({
        service_user_id,
        usdc_amount: 100,
        signers: [watched(partner), watched(user)],
      });
      expect(await failureOf(bought)).toMatchObject({ code: 'transaction_unexpected', field });
    }
    const sold = await karat.sells.quote({ service_user_id, gold_amount: 0.1 });
    const lying = lyingApi((path, body) => (path === '/v1/buy' ? { ...sold, quote: other.quote } : body));
    const bought = lying.buys.execute({ service_user_id, usdc_amount: 1_000, signers: [watched(user)] });
    expect(await failureOf(bought)).toMatchObject({ code: 'transaction_unexpected' });
    expect(requested).toBe(0);
  });

  test('an API that names another wallet for the customer than before, or than the caller, gets no signature', async () => {
    const stranger = await stack.given.user();
    const strange = await karat.buys.quote({ service_user_id: stranger.id, usdc_amount: 10 });
    let isLying = false;
    const lying = lyingApi((path, body) => {
      if (!isLying) return body;
      if (path === '/v1/buy') return strange;
      return path.startsWith('/v1/users/') ? { ...body, wallet_address: stranger.wallet.address } : body;
    });
    const desired = { service_user_id, usdc_amount: 10, signers: [watched(partner), watched(user)] };
    expect(await lying.buys.execute(desired)).toMatchObject({ status: 'confirmed' });
    requested = 0;
    isLying = true;
    expect(await failureOf(lying.buys.execute(desired))).toMatchObject({ field: 'user' });
    const named = { ...desired, wallet_address: user.address };
    expect(await failureOf(lying.buys.execute(named))).toMatchObject({ field: 'user' });
    expect(requested).toBe(0);
  });

  test('an API that names another network than the pinned one gets no signature', async () => {
    const network = await karat.network();
    const changed = { ...network, program_id: newWallet().address };
    const { apiKey } = stack.partner;
    const desired = { service_user_id, usdc_amount: 10, signers: [watched(partner), watched(user)] };
    // Pinned by the constructor: the API is not even asked.
    const pinned = new Karat({ apiKey, baseUrl: stack.baseUrl, network: changed });
    expect(await failureOf(pinned.buys.execute(desired))).toMatchObject({
      code: 'transaction_unexpected',
      field: 'program',
    });
    expect(await failureOf(pinned.network())).toMatchObject({ code: 'network_changed' });
    // Pinned at first use.
    let isLying = false;
    const lying = lyingApi((path, body) => (isLying && path === '/v1/network' ? changed : body));
    expect(await lying.buys.execute(desired)).toMatchObject({ status: 'confirmed' });
    isLying = true;
    expect(await failureOf(lying.network())).toMatchObject({ code: 'network_changed' });
    expect(await lying.buys.execute(desired)).toMatchObject({ status: 'confirmed' });
  });

  test('an API that takes more for a bar than the caller allows gets no signature', async () => {
    const bar = { denomination_id: 'pk_tola_1', city: 'Karachi' };
    const desired = { service_user_id, ...bar, max_tokens: 0.3, signers: [watched(user)] };
    expect(await failureOf(karat.redemptions.execute(desired))).toMatchObject({
      code: 'transaction_unexpected',
      field: 'maximum',
    });
    expect(requested).toBe(0);
  });
});

test('the outcome of a trade is read while as many requests of the partner wait as may', async () => {
  const end = new AbortController();
  const wait = () => karat.operations.get(newId('trd'), { wait: 30 }, { signal: end.signal });
  const waiting = Array.from({ length: 101 }, () => failureOf(wait()));
  // The first to fail is the one that finds the others waiting, whichever that is.
  expect((await Promise.race(waiting)).code).toBe('rate_limited');
  const failure = await failureOf(karat.operations.outcome(newId('trd'), { waitMs: 1_500 }));
  expect(failure).toMatchObject({ code: 'timeout', body: { status: 'unknown' } });
  end.abort();
  await Promise.all(waiting);
});

test('redemptions are quoted once by one key, paid, listed and cancelled', async () => {
  const bar = { denomination_id: 'pk_tola_1', city: 'Karachi' };
  const desired = { service_user_id, ...bar };
  const quote = await karat.redemptions.quote(desired, { idempotencyKey: 'one' });
  const again = await karat.redemptions.quote(desired, { idempotencyKey: 'one' });
  expect(again.redemption_id).toBe(quote.redemption_id);
  const paid = await karat.redemptions.execute({ ...desired, signers: [user] });
  expect(paid).toMatchObject({ status: 'submitted', city: 'Karachi' });
  expect(await karat.redemptions.get(paid.redemption_id)).toEqual(paid);
  expect(await karat.redemptions.list({ status: 'submitted' })).toMatchObject([
    { redemption_id: paid.redemption_id },
  ]);
  const cancelled = await karat.redemptions.cancel(paid.redemption_id, 'moved');
  expect(cancelled.status).toBe('cancellation_requested');
  expect((await karat.redemptions.get(paid.redemption_id)).cancellation_reason).toBe('moved');
  expect(await failureOf(karat.redemptions.cancel(newId('red')))).toMatchObject({
    code: 'redemption_not_found',
    status: 404,
  });
});

test('the partner, the network, prices, countries and bars are read', async () => {
  expect(await karat.me()).toMatchObject({ partner_id: stack.partner.partnerId, status: 'active' });
  expect(await karat.network()).toMatchObject({ gold_mint: stack.chain.goldMint, decimals: { gold: 6 } });
  expect(await karat.prices.get()).toMatchObject({ price_per_troy_oz: 4100.12, market: 'open' });
  const at = new Date('2026-03-01T12:00:30Z');
  await stack.service.ctx.db.transaction((tx) => saveCandles(tx, candlesOf({ price: '4000', at })));
  const time = { from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z' };
  const opens: number[] = [];
  for await (const { open } of karat.prices.history({ interval: '1m', ...time })) opens.push(open);
  expect(opens).toEqual([4000]);
  // The first of March is a Sunday.
  expect(await karat.prices.closures({ interval: '1m', ...time })).toEqual([
    { from: '2026-03-01T12:00:00.000Z', to: '2026-03-01T13:00:00.000Z' },
  ]);
  const countries: string[] = [];
  for await (const { code } of karat.countries.list()) countries.push(code);
  expect(countries).toEqual(['AE', 'PK']);
  const bars = await karat.countries.denominations({ country: 'PK', city: 'Karachi' });
  expect(bars.map(({ id }) => id)).toEqual(['pk_tola_1', 'pk_oz_1']);
  expect(await karat.operations.get(newId('trd'))).toMatchObject({ status: 'unknown', record: null });
  const { data } = await karat.api.POST('/v1/transactions/inspect', {
    body: {
      transaction: (await karat.buys.quote({ service_user_id, usdc_amount: 1 })).partially_signed_transaction,
    },
  });
  expect(data).toMatchObject({ kind: 'buy' });
});

describe('events', () => {
  test('events are listed, and streamed as they happen, behind a position', async () => {
    const before = await karat.events.list({ types: 'trade.confirmed,trade.failed', limit: 2 });
    expect(before.length).toBeGreaterThan(5);
    const end = new AbortController();
    const after = before.at(-2)?.id;
    const types = ['trade.confirmed', 'trade.failed'] as const;
    const stream = karat.events.stream({ after, types, signal: end.signal });
    expect((await stream.next()).value).toEqual(before.at(-1));
    const next = stream.next();
    const trade = await karat.buys.execute({ service_user_id, usdc_amount: 7, signers: [partner, user] });
    const { value } = await next;
    expect(value?.data).toEqual({ object_type: 'trade', object: trade });
    expect(value?.sequence).toBeGreaterThan(before.at(-1)?.sequence ?? 0);
    // The end that is asked for is no error.
    const last = stream.next();
    end.abort();
    expect(await last).toEqual({ done: true, value: undefined });
    // Its place among the streams of the key is free a moment later.
    await eventually(async () =>
      expect(await stack.service.ctx.sql`select from event_streams`).toHaveLength(0),
    );
  });

  test('events are refused with a wrong key or position, and beyond five streams, at once', async () => {
    const wrong = new Karat({ apiKey: 'service_partner_x', baseUrl: stack.baseUrl });
    expect(await failureOf(wrong.events.stream().next())).toMatchObject({
      code: 'unauthorized',
      status: 401,
    });
    expect(await failureOf(wrong.events.list())).toMatchObject({ code: 'unauthorized', status: 401 });
    const after = newId('evt');
    expect(await failureOf(karat.events.stream({ after }).next())).toMatchObject({
      code: 'invalid_request',
      field: 'Last-Event-ID',
    });
    const [first] = await karat.events.list().take(1);
    const streams = Array.from({ length: 5 }, () => karat.events.stream({ after: first?.id }));
    await Promise.all(streams.map((stream) => stream.next()));
    const sixth = await failureOf(karat.events.stream().next());
    expect(sixth).toMatchObject({ code: 'rate_limited', status: 429, retryAfterMs: 30_000 });
    await Promise.all(streams.map((stream) => stream.return()));
  });
});

test('webhook endpoints are registered, tested, changed and deleted, and their deliveries listed and sent again', async () => {
  const receiver = await startReceiver();
  try {
    const { webhookEndpoints } = karat;
    const created = await webhookEndpoints.create({ url: receiver.url, types: ['trade.confirmed'] });
    const { secret, ...endpoint } = created;
    stack.service.secrets.add(secret);
    const id = endpoint.endpoint_id;
    expect(await webhookEndpoints.get(id)).toEqual(endpoint);
    expect(await webhookEndpoints.list()).toEqual([endpoint]);
    expect(await webhookEndpoints.test(id)).toMatchObject({ delivered: true, status_code: 200, error: null });
    const verified = async (place: number, by: string) => {
      const got = await eventually(
        () => receiver.received[place] ?? Promise.reject(new Error('nothing came')),
      );
      return verifyWebhook(got.text, got.headers, by);
    };
    const tested = await verified(0, secret);
    expect(tested).toMatchObject({ type: 'webhook.test', data: { object: endpoint } });
    const trade = await karat.sells.execute({ service_user_id, usdc_amount: 5, signers: [partner, user] });
    const event = await verified(1, secret);
    expect(event).toMatchObject({ type: 'trade.confirmed', data: { object_type: 'trade', object: trade } });
    await eventually(async () =>
      expect(await webhookEndpoints.deliveries(id, { status: 'delivered', limit: 1 })).toMatchObject([
        { event_id: event.id, attempts: [{ status_code: 200, response_body: 'ok' }] },
      ]),
    );
    const rotated = await webhookEndpoints.rotateSecret(id, { overlap_hours: 0 });
    stack.service.secrets.add(rotated.secret);
    expect(await webhookEndpoints.resend(id, { event_id: event.id })).toEqual({ resent: 1 });
    expect(await verified(2, rotated.secret)).toEqual(event);
    expect(await failureOf(verified(2, secret))).toMatchObject({ code: 'signature_invalid' });
    const time = { from: event.created_at, to: event.created_at };
    expect(await webhookEndpoints.resend(id, time)).toEqual({ resent: 1 });
    const changed = await webhookEndpoints.update(id, { status: 'disabled', types: null });
    expect(changed).toMatchObject({ status: 'disabled', types: null });
    // Its first response is lost on the way.
    let sent = 0;
    const losing: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      sent += 1;
      if (sent === 1) throw new TypeError('the connection was cut');
      return response;
    };
    const retrying = new Karat({ apiKey: stack.partner.apiKey, baseUrl: stack.baseUrl, fetch: losing });
    await retrying.webhookEndpoints.delete(id);
    expect(sent).toBe(2);
    expect(await failureOf(webhookEndpoints.get(id))).toMatchObject({
      code: 'endpoint_not_found',
      status: 404,
    });
  } finally {
    await receiver.close();
  }
});
