import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  APPLY_AUTHORITY_DISCRIMINATOR,
  AuthorityRole,
  EVENT_DISCRIMINATOR,
  fetchConfig,
  fetchIntegrator,
  getAuthorityChangeEncoder,
  getKaratEventEncoder,
  getSettingsChangeEncoder,
  getUpdateConfigInstruction,
  MarketState,
  TradeSide,
  UPDATE_CONFIG_DISCRIMINATOR,
} from '@karat/program-client';
import {
  type Address,
  getBase58Decoder,
  type Instruction,
  type ReadonlyUint8Array,
  type TransactionSigner,
} from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { viewTransaction } from '../../src/chain/inspect/transaction-view.js';
import { noKey } from '../../src/chain/program/wallet.js';
import { findServiceSignerSets } from '../../src/db/indexing/program-events.js';
import { operatorTransactions, programEvents } from '../../src/db/schema.js';
import { newUuid, uuidBytes } from '../../src/domain/ids.js';
import { kitSigner, newWallet } from '../harness.js';
import { following } from './following.js';
import { twoNodes } from './two-nodes.js';
import { handOver, recovery } from './vault.js';
import { landed, prepared, send } from './world.js';

/** What a node would have to report of a call that did not succeed. */
interface Forged {
  kind: number;
  partnerId: ReadonlyUint8Array;
  body: ReadonlyUint8Array;
}

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

async function walletsOf(partnerId: string) {
  const rows = await f.ctx.sql<{ wallet_address: string; status: string }[]>`
    select wallet_address, status from partner_wallets where partner_id = ${partnerId}`;
  return Object.fromEntries(rows.map(({ wallet_address, status }) => [wallet_address, status]));
}

test('an authority that hands itself over, and one that the admin replaces, are events; nothing is wrong with them', async () => {
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
    const signature = await seen([instruction]);
    const found = (await f.ctx.db.select().from(operatorTransactions)).find((each) => each.id === id);
    expect(found, kind).toMatchObject({ status: 'confirmed', txSignature: signature });
    expect(await f.reasonsOf(signature)).toEqual([]);
  }
  await seen([await handOver(f.world, AuthorityRole.Withdrawal, next)], trader.partnerWallet);
  const kinds = (await f.ctx.db.select().from(programEvents)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => [10, 11, 12, 13].includes(kind)).sort()).toEqual([10, 11, 11, 12, 13]);
  expect(await walletsOf(trader.partner.partnerId)).toEqual({ [trader.partnerWallet.address]: 'active' });
});

test('the registered wallets of a partner follow its wallet on chain, and reading it again changes nothing', async () => {
  const { trader } = f.world;
  const { partnerId } = trader.partner;
  const old = trader.partnerWallet.address;
  const next = newWallet().address;
  await seen([await handOver(f.world, AuthorityRole.Wallet, next)], trader.partnerWallet);
  const wallets = { [old]: 'revoked', [next]: 'active' };
  expect(await walletsOf(partnerId)).toEqual(wallets);
  await f.ctx.sql`truncate chain_effects`;
  await f.ctx.sql`delete from indexer_cursors`;
  await f.catchUp();
  expect(await walletsOf(partnerId)).toEqual(wallets);

  // By the admin, to a key that the partner had before: that one stays revoked.
  const { propose, apply } = await recovery(f.world, AuthorityRole.Wallet, old as never);
  await seen([propose]);
  await seen([apply]);
  expect(await walletsOf(partnerId)).toEqual({ [old]: 'revoked', [next]: 'revoked' });
});

describe('of two nodes, one that invents', () => {
  const two = twoNodes(f);

  /** What somebody who is not the admin sent, once it has failed on chain, with a node that calls it a success. */
  async function forged(
    call: (thief: TransactionSigner) => Promise<{ instruction: Instruction; event: Forged }>,
  ) {
    const thief = await kitSigner(newWallet());
    f.world.node.airdrop(thief.address, 1_000_000_000n);
    const { instruction, event } = await call(thief);
    const signature = await send(f.world, [instruction], thief);
    await landed(f.world, signature);
    const header = getKaratEventEncoder().encode({
      ...{ version: 1, seq: 1_000n, id: new Uint8Array(16), side: TradeSide.None, feeBps: 0 },
      ...{ kind: event.kind, partnerId: event.partnerId, amountIn: 0n, amountOut: 0n, fee: 0n },
      ...{ price: 0n, exponent: 0, confidence: 0n, publishTime: 0n, marketState: MarketState.Open },
      ...{ actor: thief.address, counterparty: noKey },
    });
    const data = getBase58Decoder().decode(Uint8Array.of(EVENT_DISCRIMINATOR, ...header, ...event.body));
    f.node.lie = async ({ method, params }, ask) => {
      const answer = await ask();
      if (method !== 'getTransaction' || params[0] !== signature || !answer) return answer;
      const { accounts } = viewTransaction(Buffer.from(answer.transaction[0], 'base64'));
      const place = (key: Address) => accounts.indexOf(key);
      const [programIdIndex, config] = [place(f.ctx.chain.programAddress), place(f.world.program.config)];
      const call = { programIdIndex, accounts: [config], data, stackHeight: 2 };
      const meta = { ...answer.meta, err: null, innerInstructions: [{ index: 0, instructions: [call] }] };
      return { ...answer, meta };
    };
    await f.catchUp(f.newFollower({ unavailableAfterMs: 200, brokenAfterMs: 200 }, two.ctx));
    return { thief: thief.address, signature };
  }

  test('a wallet of a partner gives it no keys', async () => {
    const { partner, partnerWallet } = f.world.trader;
    const before = await walletsOf(partner.partnerId);
    const { thief, signature } = await forged(async (thief) => {
      const { apply } = await recovery(f.world, AuthorityRole.Wallet, thief.address, thief);
      const wallets = { before: partnerWallet.address, after: thief.address };
      const change = { role: AuthorityRole.Wallet, ...wallets, readyAt: 0n };
      const body = getAuthorityChangeEncoder().encode(change);
      const partnerId = uuidBytes(partner.partnerId);
      return { instruction: apply, event: { kind: APPLY_AUTHORITY_DISCRIMINATOR, partnerId, body } };
    });
    expect(await walletsOf(partner.partnerId)).toEqual(before);
    expect(before).not.toHaveProperty(thief);
    expect(await f.reasonsOf(signature)).toEqual(['transaction_unavailable']);
  });

  test('a service signer has nothing believed that it signs, and the real one all', async () => {
    const { config } = f.world.program;
    const { data } = await fetchConfig(f.world.seeder.rpc, config, { commitment: 'confirmed' });
    const { signature } = await forged(async (thief) => {
      const after = { ...data, serviceSigners: [thief.address, noKey] };
      const instruction = getUpdateConfigInstruction(
        { ...after, config, admin: thief, expectedSeq: data.seq },
        { programAddress: f.ctx.chain.programAddress },
      );
      const body = getSettingsChangeEncoder().encode({ before: data, after });
      return {
        instruction,
        event: { kind: UPDATE_CONFIG_DISCRIMINATOR, partnerId: new Uint8Array(16), body },
      };
    });
    expect(await f.reasonsOf(signature)).toEqual(['transaction_unavailable']);
    const sets = await findServiceSignerSets(f.ctx.db);
    expect(sets.flatMap(({ signers }) => signers)).toEqual([f.world.service.address]);
  });

  test('keeps back no wallet that the partner handed over', async () => {
    const { trader } = f.world;
    const next = newWallet().address;
    const { signature, post } = await prepared(
      f.world,
      [await handOver(f.world, AuthorityRole.Wallet, next)],
      trader.partnerWallet,
    );
    await post();
    await landed(f.world, signature);
    await f.catchUp(f.newFollower({}, two.ctx));
    expect(await walletsOf(trader.partner.partnerId)).toHaveProperty(next, 'active');
  });
});

test('the example script hands an authority over, and only tries unless it is told to send', async () => {
  const { trader } = f.world;
  const [present, next] = [newWallet(), newWallet().address];
  const { propose, apply } = await recovery(f.world, AuthorityRole.Withdrawal, present.address);
  await seen([propose]);
  await seen([apply]);
  f.world.node.airdrop(present.address, 1_000_000_000n);
  const keyFile = join(mkdtempSync(join(tmpdir(), 'karat-key-')), 'key.json');
  writeFileSync(keyFile, JSON.stringify([...present.secretKey]), { mode: 0o600 });
  const script = fileURLToPath(new URL('../../../../examples/hand-over-authority.mjs', import.meta.url));
  const run = async (...more: string[]) => {
    const flags = ['--conditions=source', '--import', 'tsx', script];
    const args = [trader.partner.partnerId, 'withdrawal', keyFile, next, ...more];
    const env = {
      ...process.env,
      KARAT_RPC_URL: f.world.node.rpcUrl,
      KARAT_PROGRAM_ID: f.ctx.chain.programAddress,
    };
    return (await promisify(execFile)(process.execPath, [...flags, ...args], { env })).stdout.trim();
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
