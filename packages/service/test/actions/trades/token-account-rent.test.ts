import type { Address } from '@solana/kit';
import { getBurnInstruction, getCloseAccountInstruction } from '@solana-program/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendInstructions } from '../../../src/chain/admin/seed.js';
import { tokenAccountOf, tokenOf } from '../../../src/chain/program/token-accounts.js';
import { cosign } from '../../chain/signed-trade.js';
import { expectStatus, kitSigner } from '../../harness.js';
import { type GivenUser, type Karat, startKarat } from '../../karat.js';

/** Lamports that a token account holds. */
const rent = { usdc: 2_039_280n, gold: 2_074_080n };

let t: Karat;

beforeAll(async () => {
  t = await startKarat();
});
afterAll(() => t.stop());

function lamports(address: Address): bigint {
  return t.chain.node.getAccount(address)?.lamports ?? 0n;
}

/** Quotes, signs and submits a trade of the user; returns what it cost partner wallet and service beyond the fee. */
async function trade(user: GivenUser, side: 'buy' | 'sell', body: object = {}) {
  const { tradeId, transaction } = await t[side].quoted({ service_user_id: user.id, ...body });
  expect(transaction.length).toBeLessThanOrEqual(1_120);
  const [partner, service] = [t.partner.wallet.address, t.chain.service.address];
  const before = [lamports(partner), lamports(service)] as const;
  const signed = cosign(transaction, [t.partner.wallet, user.wallet]);
  const { body: sent } = expectStatus(await t[side].submit(tradeId, signed), 200);
  const { meta } = await t.chain.landed(sent.tx_hash);
  expect(meta.err).toBeNull();
  return {
    partner: before[0] - lamports(partner),
    service: before[1] - lamports(service) - BigInt(meta.fee),
  };
}

/** Empties and closes a token account of the user, who gets its rent. */
async function close(user: GivenUser, mint: Address): Promise<void> {
  const signer = await kitSigner(user.wallet);
  const token = tokenOf(mint, t.chain);
  const account = tokenAccountOf(user.wallet.address, token);
  const target = { programAddress: token.program };
  const amount = await t.chain.balance(user.wallet.address, mint);
  const seeder = { rpc: t.service.ctx.chain.rpc, payer: signer, commitment: 'confirmed' } as const;
  await sendInstructions(seeder, [
    getBurnInstruction({ account, mint, authority: signer, amount }, target),
    getCloseAccountInstruction({ account, destination: signer.address, owner: signer }, target),
  ]);
}

/** A user with SOL, USDC and without an account for GOLD. */
async function newcomer(): Promise<GivenUser> {
  const user = await t.given.user();
  t.chain.node.airdrop(user.wallet.address, 1_000_000_000n);
  return user;
}

describe('the rent of a user’s token account', () => {
  test('the rent of a user’s token account is paid by the partner wallet, at first and again after it was closed', async () => {
    const user = await newcomer();
    expect(await trade(user, 'buy')).toEqual({ partner: rent.gold, service: 0n });
    await close(user, t.chain.goldMint);
    expect(await trade(user, 'buy', { usdc_amount: 101 })).toEqual({ partner: rent.gold, service: 0n });
  });

  test('the rent of a user’s token account is paid by the partner wallet for the account for USDC of a sell', async () => {
    const user = await t.service.givenUser(t.partner.partnerId);
    await t.chain.node.setTokenBalance(user.wallet.address, t.chain.goldMint, 5_000_000n);
    expect(await trade(user, 'sell')).toEqual({ partner: rent.usdc, service: 0n });
  });

  test('the rent of a user’s token account is not charged where the account exists', async () => {
    const user = await newcomer();
    await t.chain.node.setTokenBalance(user.wallet.address, t.chain.goldMint, 5n);
    expect(await trade(user, 'buy')).toEqual({ partner: 0n, service: 0n });
  });

  test('the rent of a user’s token account stops the trade while the partner wallet does not hold it', async () => {
    const user = await newcomer();
    const wallet = t.partner.wallet.address;
    const account = t.chain.node.getAccount(wallet);
    t.chain.node.setAccount(wallet, undefined);
    const { tradeId, transaction } = await t.buy.quoted({ service_user_id: user.id });
    const signed = cosign(transaction, [t.partner.wallet, user.wallet]);
    expect(await t.buy.submit(tradeId, signed)).toMatchObject({
      status: 400,
      body: {
        error: 'broadcast_failed',
        reason: 'program_error',
        program_error_name: 'ResultWithNegativeLamports',
        message: expect.stringContaining(
          `The wallet ${wallet} holds 0 SOL and needs 0.00207408 SOL for the rent of a token account: send SOL to it.`,
        ),
      },
    });
    t.chain.node.setAccount(wallet, account);
    expectStatus(await t.buy.submit(tradeId, signed), 200);
  });
});
