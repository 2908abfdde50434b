import { MarketState } from '@karat/program-client';
import { createSigner } from '@karat/signer';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Chain } from '../../../src/chain/chain.js';
import { createChain } from '../../../src/chain/create-chain.js';
import { findLanding, sendAndWait } from '../../../src/chain/node/landing.js';
import type { Signer } from '../../../src/chain/sign/signer.js';
import { signSetMarket } from '../../../src/keeper/market.js';
import { createLogger } from '../../../src/log.js';
import { testConfig } from '../../harness.js';
import { type Lie, type LyingNode, type RpcCall, startLyingNode } from '../../indexer/lying-node.js';
import { eventually, type KaratChain, startKaratChain } from '../../karat-chain.js';

let karat: KaratChain;
let chain: Chain;
/** The first of two nodes of the same chain. */
let liar: LyingNode;
let twoNodes: Chain;
let market: Signer;
/** A key that is not the market's, without the policy that keeps it from signing this. */
let other: Signer;
beforeAll(async () => {
  karat = await startKaratChain();
  const config = {
    ...{ ...testConfig('postgres://localhost/any'), ...karat.config },
    adminSignerUrl: karat.keyFile(karat.admin),
    marketSignerUrl: karat.keyFile(karat.market),
    priorityFeeCapMicroLamports: 0,
  };
  const parts = { clock: karat.clock, log: createLogger('silent') };
  chain = await createChain({ config, ...parts });
  liar = await startLyingNode(karat.node.rpcUrl);
  twoNodes = await createChain({
    config: { ...config, rpcUrls: [liar.url, karat.node.rpcUrl] },
    ...parts,
  });
  market = chain.market as Signer;
  other = createSigner(new Uint8Array(karat.guardian.secretKey));
  await chain.start();
});
afterAll(async () => {
  await chain.stop();
  await twoNodes.stop();
  await liar.close();
  await karat.stop();
});

const closed = { marketState: MarketState.Closed };
const sign = (signer: Signer) => signSetMarket(chain, signer, chain.program.config(), MarketState.Closed);
async function send(signer: Signer, deadline: AbortSignal) {
  const signed = await sign(signer);
  return { txHash: signed.txHash, landing: await sendAndWait(chain, signed, deadline) };
}
/** Opens the market, so that it is never the transaction that another test has sent within the same block. */
const signUnsent = () => signSetMarket(chain, market, chain.program.config(), MarketState.Open);
const within15s = () => AbortSignal.timeout(15_000);

describe('a transaction of the market key', () => {
  test('a transaction of the market key sets the market, and the key alone pays for it', async () => {
    expect(chain.admin?.address).toBe(karat.admin.address);
    expect(market.address).toBe(karat.market.address);
    const before = karat.node.getAccount(market.address)?.lamports ?? 0n;
    const { txHash, landing } = await send(market, within15s());
    expect(landing).toEqual({ kind: 'confirmed', slot: expect.any(BigInt) });
    await eventually(() => expect(chain.program.config()).toMatchObject(closed), 10_000);
    expect(karat.node.getAccount(market.address)?.lamports).toBe(before - 5_000n);
    expect((await karat.landed(txHash)).meta.err).toBeNull();
  });

  test('a transaction of the market key is refused with the name of the error when the signer may not', async () => {
    const { landing } = await send(other, within15s());
    expect(landing).toMatchObject({
      kind: 'refused',
      cause: { message: expect.stringContaining('Unauthorized: This signer does not have the role') },
    });
  });

  test('a transaction of the market key that landed without effect has the reason', async () => {
    const signed = await sign(other);
    await karat.sendStraight(signed.transaction);
    await karat.landed(signed.txHash);
    expect(await findLanding(chain, signed)).toMatchObject({
      kind: 'failed',
      cause: {
        reason: 'program_error',
        programErrorName: 'Unauthorized',
        message: 'Unauthorized: This signer does not have the role that the instruction needs.',
      },
    });
  });

  test('a transaction of the market key that never came is pending until the last block that could hold it is final', async () => {
    const signed = await sign(market);
    expect(await findLanding(chain, signed)).toEqual({ kind: 'pending' });
    karat.node.warp({ slots: 300 });
    await eventually(
      async () => expect(await findLanding(chain, signed)).toEqual({ kind: 'expired' }),
      10_000,
    );
    const late = await sendAndWait(chain, signed, within15s());
    expect(late).toMatchObject({ kind: 'refused', cause: { reason: 'quote_expired' } });
  });

  test('a transaction of the market key whose response was lost is found on the chain', async () => {
    await karat.injectFault({ method: 'getSignatureStatuses', mode: 'close', times: 2 });
    const { landing } = await send(market, within15s());
    expect(landing.kind).toBe('confirmed');
  });

  test('a transaction of the market key is pending when the deadline comes first', async () => {
    await karat.injectFault({ method: 'sendTransaction', mode: 'close', times: 1 });
    const deadline = AbortSignal.timeout(200);
    const { landing } = await send(market, deadline);
    expect(landing).toEqual({ kind: 'pending' });
  });
});

describe('two nodes', () => {
  afterEach(() => {
    liar.lie = undefined;
  });

  const statusOf =
    (status: unknown): Lie =>
    async ({ method, params }, ask) => {
      const response = await ask();
      if (method === 'getEpochInfo') return { ...response, blockHeight: response.blockHeight + 100_000 };
      if (method !== 'getSignatureStatuses') return response;
      return { ...response, value: params[0].map(() => status) };
    };
  const failure = {
    slot: 1,
    confirmations: null,
    err: { InstructionError: [2, { Custom: 1 }] },
    confirmationStatus: 'finalized',
  };

  test.each([
    ['did not land and no longer can', null],
    ['failed', failure],
  ])(
    'one of two nodes is not believed alone that a transaction %s, which may be repeated then',
    async (_, status) => {
      liar.lie = statusOf(status);
      const waiting = await sign(market);
      expect(await findLanding(twoNodes, waiting)).toEqual({ kind: 'pending' });
      const landed = await sign(market);
      expect(await sendAndWait(twoNodes, landed, AbortSignal.timeout(1_000))).toEqual({ kind: 'pending' });
      liar.lie = undefined;
      expect(await findLanding(twoNodes, landed)).toMatchObject({ kind: 'confirmed' });
    },
  );

  test('one of two nodes that fails leaves a failure open, and hides no success', async () => {
    const failed = await sign(other);
    await karat.sendStraight(failed.transaction);
    await karat.landed(failed.txHash);
    liar.lie = async () => {
      throw new Error('gone');
    };
    await expect(findLanding(twoNodes, failed)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await sendAndWait(twoNodes, await sign(market), within15s())).toMatchObject({ kind: 'confirmed' });
  });

  test('one of two nodes that lags keeps what the other does not know pending', async () => {
    const lost = await signUnsent();
    karat.node.warp({ slots: 300 });
    await eventually(
      async () => expect(await findLanding(twoNodes, lost)).toEqual({ kind: 'expired' }),
      10_000,
    );
    const lagging: Lie = async ({ method }, request) => {
      const response = await request();
      if (method !== 'getSignatureStatuses') return response;
      return { ...response, context: { ...response.context, slot: response.context.slot - 200 } };
    };
    liar.lie = lagging;
    expect(await findLanding(twoNodes, lost)).toEqual({ kind: 'pending' });
    const behind = async ({ method }: RpcCall, request: Parameters<Lie>[1]) => {
      const response = await request();
      if (method !== 'getEpochInfo') return response;
      return { ...response, blockHeight: Number(lost.lastValidBlockHeight) };
    };
    liar.lie = behind;
    expect(await findLanding(twoNodes, lost)).toEqual({ kind: 'pending' });
    liar.lie = undefined;
    expect(await findLanding(twoNodes, lost)).toEqual({ kind: 'expired' });
  });

  test('one of two nodes that does not know a transaction hides no success', async () => {
    const landed = await sign(market);
    expect(await sendAndWait(chain, landed, within15s())).toMatchObject({ kind: 'confirmed' });
    liar.lie = statusOf(null);
    expect(await findLanding(twoNodes, landed)).toEqual({ kind: 'pending' });
  });

  test('two nodes are believed where they report the same', async () => {
    const failed = await sign(other);
    await karat.sendStraight(failed.transaction);
    await karat.landed(failed.txHash);
    expect(await findLanding(twoNodes, failed)).toMatchObject({ kind: 'failed' });
    const lost = await signUnsent();
    karat.node.warp({ slots: 300 });
    await eventually(
      async () => expect(await findLanding(twoNodes, lost)).toEqual({ kind: 'expired' }),
      10_000,
    );
  });
});
