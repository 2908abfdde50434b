import { MarketState } from '@karat/program-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Chain } from '../../../src/chain/chain.js';
import { createChain } from '../../../src/chain/create-chain.js';
import { findLanding, sendAndWait } from '../../../src/chain/node/landing.js';
import { createSigner } from '../../../src/chain/sign/key-file.js';
import type { Signer } from '../../../src/chain/sign/signer.js';
import { signSetMarket } from '../../../src/keeper/market.js';
import { createLogger } from '../../../src/log.js';
import { testConfig } from '../../harness.js';
import { eventually, type KaratChain, startKaratChain } from '../../karat-chain.js';

let karat: KaratChain;
let chain: Chain;
let market: Signer;
/** A key that is not the market's, without the policy that keeps it from signing this. */
let other: Signer;
beforeAll(async () => {
  karat = await startKaratChain();
  const config = { ...testConfig('postgres://localhost/any'), ...karat.config };
  chain = await createChain({
    config: {
      ...config,
      adminSignerUrl: karat.keyFile(karat.admin),
      marketSignerUrl: karat.keyFile(karat.market),
      priorityFeeCapMicroLamports: 0,
    },
    clock: karat.clock,
    log: createLogger('silent'),
  });
  market = chain.market as Signer;
  other = createSigner(new Uint8Array(karat.guardian.secretKey));
  await chain.start();
});
afterAll(async () => {
  await chain.stop();
  await karat.stop();
});

const closed = { marketState: MarketState.Closed };
const sign = (signer: Signer) => signSetMarket(chain, signer, chain.program.config(), MarketState.Closed);
async function send(signer: Signer, deadline: AbortSignal) {
  const signed = await sign(signer);
  return { txHash: signed.txHash, landing: await sendAndWait(chain, signed, deadline) };
}
const soon = () => AbortSignal.timeout(15_000);

describe('a transaction of the market key', () => {
  test('sets the market, and the key alone pays for it', async () => {
    expect(chain.admin?.address).toBe(karat.admin.address);
    expect(market.address).toBe(karat.market.address);
    const before = karat.node.getAccount(market.address)?.lamports ?? 0n;
    const { txHash, landing } = await send(market, soon());
    expect(landing).toEqual({ kind: 'confirmed', slot: expect.any(BigInt) });
    await eventually(() => expect(chain.program.config()).toMatchObject(closed), 10_000);
    expect(karat.node.getAccount(market.address)?.lamports).toBe(before - 5_000n);
    expect((await karat.landed(txHash)).meta.err).toBeNull();
  });

  test('is refused with the name of the error when the signer may not', async () => {
    const { landing } = await send(other, soon());
    expect(landing).toMatchObject({
      kind: 'refused',
      cause: { message: expect.stringContaining('Unauthorized: This signer does not have the role') },
    });
  });

  test('that landed without effect says why', async () => {
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

  test('that never came is pending until the last block that could hold it is final', async () => {
    const signed = await sign(market);
    expect(await findLanding(chain, signed)).toEqual({ kind: 'pending' });
    karat.node.warp({ slots: 300 });
    await eventually(
      async () => expect(await findLanding(chain, signed)).toEqual({ kind: 'expired' }),
      10_000,
    );
    const late = await sendAndWait(chain, signed, soon());
    expect(late).toMatchObject({ kind: 'refused', cause: { reason: 'quote_expired' } });
  });

  test('whose answer was lost is found on the chain', async () => {
    await karat.injectFault({ method: 'getSignatureStatuses', mode: 'close', times: 2 });
    const { landing } = await send(market, soon());
    expect(landing.kind).toBe('confirmed');
  });

  test('is pending when the deadline comes first', async () => {
    await karat.injectFault({ method: 'sendTransaction', mode: 'close', times: 1 });
    const deadline = AbortSignal.timeout(200);
    const { landing } = await send(market, deadline);
    expect(landing).toEqual({ kind: 'pending' });
  });
});
