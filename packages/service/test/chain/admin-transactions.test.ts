import { MarketState } from '@karat/program-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  findLanding,
  sendAndWait,
  sendSetStatus,
  signSetStatus,
} from '../../src/chain/admin-transactions.js';
import type { Chain } from '../../src/chain/chain.js';
import { createChain } from '../../src/chain/create-chain.js';
import type { Signer } from '../../src/chain/signer.js';
import { createLogger } from '../../src/log.js';
import { testConfig } from '../harness.js';
import { eventually, type KaratChain, startKaratChain } from '../karat-chain.js';

let karat: KaratChain;
let chain: Chain;
let guardian: Signer;
beforeAll(async () => {
  karat = await startKaratChain();
  const config = { ...testConfig('postgres://any'), ...karat.config };
  chain = createChain({
    config: {
      ...config,
      adminKeypair: karat.keyFile(karat.admin),
      guardianKeypair: karat.keyFile(karat.guardian),
    },
    clock: karat.clock,
    log: createLogger('silent'),
  });
  guardian = chain.guardian as Signer;
  await chain.start();
});
afterAll(async () => {
  await chain.stop();
  await karat.stop();
});

const closed = { paused: 0b101, marketState: MarketState.Closed };
const soon = () => AbortSignal.timeout(15_000);

describe('a transaction of the guardian', () => {
  test('sets flags and market at once, and the guardian alone pays for it', async () => {
    expect(chain.admin?.address).toBe(karat.admin.address);
    expect(guardian.address).toBe(karat.guardian.address);
    const before = karat.node.getAccount(guardian.address)?.lamports ?? 0n;
    const { txHash, landing } = await sendSetStatus(chain, guardian, closed, 0n, soon());
    expect(landing).toEqual({ kind: 'confirmed', slot: expect.any(BigInt) });
    await eventually(() => expect(chain.program.config()).toMatchObject(closed), 10_000);
    expect(karat.node.getAccount(guardian.address)?.lamports).toBe(before - 5_000n);
    expect((await karat.landed(txHash)).meta.err).toBeNull();
  });

  test('is refused with the name of the error when the signer may not', async () => {
    const { landing } = await sendSetStatus(chain, chain.signer, closed, 0n, soon());
    expect(landing).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('Unauthorized: This signer does not have the role'),
    });
  });

  test('that landed without effect says why', async () => {
    const signed = await signSetStatus(chain, chain.signer, closed, 0n);
    await karat.sendStraight(signed.transaction);
    await karat.landed(signed.txHash);
    expect(await findLanding(chain, signed)).toMatchObject({
      kind: 'failed',
      reason: 'Unauthorized: This signer does not have the role that the instruction needs.',
    });
  });

  test('that never came is pending until the last block that could hold it is final', async () => {
    const signed = await signSetStatus(chain, guardian, closed, 0n);
    expect(await findLanding(chain, signed)).toEqual({ kind: 'pending' });
    karat.node.warp({ slots: 300 });
    await eventually(
      async () => expect(await findLanding(chain, signed)).toEqual({ kind: 'expired' }),
      10_000,
    );
    const late = await sendAndWait(chain, signed, soon());
    expect(late).toMatchObject({ kind: 'refused', reason: expect.stringContaining('Blockhash not found') });
  });

  test('whose answer was lost is found on the chain', async () => {
    await karat.injectFault({ method: 'getSignatureStatuses', mode: 'close', times: 2 });
    const { landing } = await sendSetStatus(chain, guardian, { ...closed, paused: 1 }, 0n, soon());
    expect(landing.kind).toBe('confirmed');
  });

  test('is pending when the deadline comes first', async () => {
    await karat.injectFault({ method: 'sendTransaction', mode: 'close', times: 1 });
    const deadline = AbortSignal.timeout(200);
    const { landing } = await sendSetStatus(chain, guardian, closed, 0n, deadline);
    expect(landing).toEqual({ kind: 'pending' });
  });
});
