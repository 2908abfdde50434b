import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  APPLY_AUTHORITY_DISCRIMINATOR,
  AuthorityRole,
  CANCEL_AUTHORITY_DISCRIMINATOR,
  fetchIntegrator,
  HAND_OVER_AUTHORITY_DISCRIMINATOR,
  PROPOSE_AUTHORITY_DISCRIMINATOR,
} from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import { beforeAll, expect, test } from 'vitest';
import { operatorTransactions, programEvents } from '../../src/db/schema.js';
import { newUuid } from '../../src/domain/ids.js';
import { newWallet } from '../harness.js';
import { following } from './following.js';
import { handOver, recovery } from './vault.js';
import { landed, send } from './world.js';

const f = following();
beforeAll(() => {
  f.world.node.airdrop(f.world.trader.partnerWallet.address, 1_000_000_000n);
});

async function seen(instructions: Instruction[], payer = f.world.admin): Promise<string> {
  const signature = await send(f.world, instructions, payer);
  await landed(f.world, signature);
  await f.catchUp();
  return signature;
}

/** Goes on to when what the admin proposed can be applied. */
const passDelay = () => f.world.node.warp({ seconds: 86_410 });

async function walletsOf(partnerId: string) {
  const rows = await f.ctx.sql<{ wallet_address: string; status: string }[]>`
    select wallet_address, status from partner_wallets where partner_id = ${partnerId}`;
  return Object.fromEntries(rows.map(({ wallet_address, status }) => [wallet_address, status]));
}

test('authorities: an authority that hands itself over, and one that the admin replaces, leave their events', async () => {
  const { trader } = f.world;
  const next = newWallet().address;
  const { propose, cancel, apply } = await recovery(f.world, AuthorityRole.Update, next);
  const row = async (kind: 'propose_authority' | 'cancel_authority' | 'apply_authority') => {
    const at = new Date(f.ctx.clock.now());
    const id = newUuid();
    const { partnerId } = trader.partner;
    const height = { lastValidBlockHeight: 10_000_000n, createdAt: at, updatedAt: at };
    await f.ctx.db.insert(operatorTransactions).values({ id, kind, partnerId, ...height });
    return id;
  };
  const steps = [
    ['propose_authority', propose],
    ['cancel_authority', cancel],
    ['propose_authority', { ...propose }],
    ['apply_authority', apply],
  ] as const;
  for (const [kind, instruction] of steps) {
    const id = await row(kind);
    if (kind === 'apply_authority') passDelay();
    const signature = await seen([instruction]);
    const found = (await f.ctx.db.select().from(operatorTransactions)).find((each) => each.id === id);
    expect(found, kind).toMatchObject({ status: 'confirmed', txSignature: signature });
    expect(await f.reasonsOf(signature)).toEqual([]);
  }
  await seen([await handOver(f.world, AuthorityRole.Withdrawal, next)], trader.partnerWallet);
  const kinds = (await f.ctx.db.select().from(programEvents)).map(({ kind }) => kind);
  const expected = [
    HAND_OVER_AUTHORITY_DISCRIMINATOR,
    PROPOSE_AUTHORITY_DISCRIMINATOR,
    PROPOSE_AUTHORITY_DISCRIMINATOR,
    CANCEL_AUTHORITY_DISCRIMINATOR,
    APPLY_AUTHORITY_DISCRIMINATOR,
  ];
  expect(kinds.filter((kind) => expected.includes(kind)).sort()).toEqual(expected);
  expect(await walletsOf(trader.partner.partnerId)).toEqual({ [trader.partnerWallet.address]: 'active' });
});

test('authorities: the registered wallets of a partner follow its wallet on chain, and reading it again changes nothing', async () => {
  const { trader } = f.world;
  const { partnerId } = trader.partner;
  const old = trader.partnerWallet.address;
  const next = newWallet().address;
  await seen([await handOver(f.world, AuthorityRole.Wallet, next)], trader.partnerWallet);
  const wallets = { [old]: 'revoked', [next]: 'active' };
  expect(await walletsOf(partnerId)).toEqual(wallets);
  await f.ctx.sql`truncate chain_effects`;
  await f.catchUp();
  expect(await walletsOf(partnerId)).toEqual(wallets);

  // By the admin, to a key that the partner had before: that one stays revoked.
  const { propose, apply } = await recovery(f.world, AuthorityRole.Wallet, old as never);
  await seen([propose]);
  passDelay();
  await seen([apply]);
  expect(await walletsOf(partnerId)).toEqual({ [old]: 'revoked', [next]: 'revoked' });
});

test('authorities: the example script hands an authority over, and only simulates without send', async () => {
  const { trader } = f.world;
  const [present, next] = [newWallet(), newWallet().address];
  const { propose, apply } = await recovery(f.world, AuthorityRole.Withdrawal, present.address);
  await seen([propose]);
  passDelay();
  await seen([apply]);
  f.world.node.airdrop(present.address, 1_000_000_000n);
  const keyFile = join(mkdtempSync(join(tmpdir(), 'karat-key-')), 'key.json');
  writeFileSync(keyFile, JSON.stringify([...present.secretKey]), { mode: 0o600 });
  const script = fileURLToPath(new URL('../../../../examples/hand-over-authority.mjs', import.meta.url));
  const run = async (...more: string[]) => {
    const args = [script, trader.partner.partnerId, 'withdrawal', keyFile, next, ...more];
    const env = {
      ...process.env,
      KARAT_RPC_URL: f.world.node.rpcUrl,
      KARAT_PROGRAM_ID: f.ctx.chain.programAddress,
    };
    return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
  };
  const authority = async () => {
    const { data } = await fetchIntegrator(f.ctx.chain.rpc, trader.integrator, { commitment: 'confirmed' });
    return data.withdrawalAuthority;
  };
  expect(await run()).toBe(`would hand the withdrawal authority from ${present.address} to ${next}`);
  expect(await authority()).toBe(present.address);
  await landed(f.world, (await run('send')) as never);
  expect(await authority()).toBe(next);
}, 60_000);
