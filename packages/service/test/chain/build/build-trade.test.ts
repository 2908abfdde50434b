import { findConfigPda } from '@karat/program-client';
import { createSigner, token2022Program } from '@karat/signer';
import { maxTransactionBytes, readLegacyTransaction } from '@karat/wire';
import { type Address, getTransactionDecoder } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileTrade, TemplateTradeBuilder, type TradeTerms } from '../../../src/chain/build/build-trade.js';
import { verifySignature } from '../../../src/chain/sign/signer.js';
import { newId } from '../../../src/domain/ids.js';
import { newWallet } from '../../harness.js';
import {
  addressOf,
  anyBlockhash,
  givenConfig,
  givenIntegrator,
  givenSettings,
  programAddress,
  someAddresses,
} from '../fixtures.js';

const wallet = newWallet();
const signer = createSigner(Uint8Array.from(wallet.secretKey));
const computeUnitPrice = 100_000n;
const u64 = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });

/** Trades over arbitrary keys and figures: every account may sort anywhere. */
const anyTerms: fc.Arbitrary<TradeTerms> = fc
  .record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    amountIn: u64,
    minAmountOut: u64,
    maxAmountOut: u64,
    maxFeeBps: fc.integer({ min: 0, max: 65_535 }),
    expireAtSeconds: fc.bigInt({ min: 0n, max: 2n ** 62n }),
    userPaysRent: fc.boolean(),
    blockhash: anyBlockhash,
    keys: someAddresses(11),
  })
  .map(({ keys, ...terms }) => {
    const key = (index: number) => keys[index] ?? addressOf(1);
    return {
      ...terms,
      tradeId: newId('trd'),
      user: key(0),
      integrator: { address: key(1), data: givenIntegrator({ partnerWallet: key(2) }) },
      config: givenConfig({
        usdcMint: key(3),
        goldMint: key(4),
        treasuryAuthority: key(5),
        treasuryUsdc: key(6),
        treasuryGold: key(7),
        feeUsdc: key(8),
        settings: givenSettings({ priceAccount: key(9), usdcPriceAccount: key(10) }),
      }),
    };
  });

async function compiledByKit(terms: TradeTerms): Promise<Uint8Array> {
  const [configAddress] = await findConfigPda({ programAddress });
  const ata = async (mint: Address, tokenProgram: Address) =>
    (await findAssociatedTokenPda({ owner: terms.user, mint, tokenProgram }))[0];
  const own = {
    user: terms.user,
    userUsdc: await ata(terms.config.usdcMint, TOKEN_PROGRAM_ADDRESS),
    userGold: await ata(terms.config.goldMint, token2022Program),
  };
  return compileTrade(
    { programAddress, configAddress, serviceSigner: signer.address, computeUnitPrice },
    terms,
    own,
  );
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const newBuilder = () => new TemplateTradeBuilder({ programAddress, signer, computeUnitPrice });
const [someTerms] = fc.sample(anyTerms, 1) as [TradeTerms];

describe('the template of a trade', () => {
  test('the template of a trade gives the very bytes that @solana/kit compiles, for any keys and figures', async () => {
    const builder = newBuilder();
    await fc.assert(
      fc.asyncProperty(anyTerms, async (terms) => {
        expect(hex(await builder.message(terms))).toBe(hex(await compiledByKit(terms)));
      }),
      { numRuns: 300 },
    );
  });

  test('serves many users and trades of one partner unchanged', async () => {
    const builder = newBuilder();
    await fc.assert(
      fc.asyncProperty(anyTerms, async ({ config: _, integrator: __, ...terms }) => {
        const again = { ...terms, config: someTerms.config, integrator: someTerms.integrator };
        expect(hex(await builder.message(again))).toBe(hex(await compiledByKit(again)));
      }),
      { numRuns: 300 },
    );
  });

  test('the template of a trade follows a changed partner wallet and a changed configuration', async () => {
    const builder = newBuilder();
    await builder.message(someTerms);
    const integrator = {
      ...someTerms.integrator,
      data: givenIntegrator({ partnerWallet: addressOf(77) }),
    };
    const changed = { ...someTerms, integrator, config: { ...someTerms.config, feeUsdc: addressOf(78) } };
    expect(hex(await builder.message({ ...someTerms, integrator }))).toBe(
      hex(await compiledByKit({ ...someTerms, integrator })),
    );
    expect(hex(await builder.message(changed))).toBe(hex(await compiledByKit(changed)));
  });

  test.each([
    ['the partner', () => someTerms.integrator.data.partnerWallet],
    ['the service', () => signer.address],
    ['an account of the program', () => someTerms.config.treasuryUsdc],
  ])('merges accounts where the user is %s', async (_, user) => {
    const terms = { ...someTerms, user: user() };
    expect(hex(await newBuilder().message(terms))).toBe(hex(await compiledByKit(terms)));
  });
});

describe('a built trade', () => {
  test('a built trade is signed by the service alone and fits into a packet', async () => {
    await fc.assert(
      fc.asyncProperty(anyTerms, async (terms) => {
        const transaction = await newBuilder().build(terms);
        expect(transaction.length).toBeLessThanOrEqual(1_120);
        const read = readLegacyTransaction(transaction);
        const [own, ...others] = read.signatures;
        expect(others).toHaveLength(2);
        expect(others.every((signature) => signature.every((byte) => byte === 0))).toBe(true);
        expect(
          verifySignature(read.accounts[0] ?? new Uint8Array(), read.message, own ?? new Uint8Array()),
        ).toBe(true);
        const decoded = getTransactionDecoder().decode(transaction);
        expect(Object.keys(decoded.signatures)[0]).toBe(signer.address);
        expect(hex(Uint8Array.from(decoded.messageBytes))).toBe(hex(read.message));
      }),
      { numRuns: 30 },
    );
  });

  test('a built trade has the size that leaves room for guards', async () => {
    const transaction = await newBuilder().build({ ...someTerms, amountIn: 2n ** 64n - 1n });
    console.log(`largest trade: ${transaction.length} of ${maxTransactionBytes} bytes`);
    expect(transaction.length).toBeLessThanOrEqual(1_120);
  });
});
