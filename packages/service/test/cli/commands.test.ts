import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findConfigPda } from '@karat/program-client';
import { readLegacyTransaction } from '@karat/wire';
import { type Address, getAddressDecoder, getTransactionDecoder } from '@solana/kit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../src/actions/audit.js';
import { anchorAuditLog } from '../../src/actions/audit-anchors.js';
import { decodeTokenMetadata } from '../../src/chain/admin/gold-mint.js';
import { goldOf, tokenAccountOf, usdcOf } from '../../src/chain/program/token-accounts.js';
import { noKey } from '../../src/chain/program/wallet.js';
import { readConfig } from '../../src/config.js';
import { createContext, type OwnedContext } from '../../src/create-context.js';
import { insertBars } from '../../src/db/bars/bars.js';
import { insertCountry } from '../../src/db/catalogue/countries.js';
import { insertDenomination } from '../../src/db/catalogue/denominations.js';
import { findAuditRowsAfter } from '../../src/db/operators/audit-log.js';
import { findStatement } from '../../src/db/reserves/statements.js';
import { addressToBytes } from '../../src/domain/solana.js';
import { buildOperatorApp } from '../../src/http/operator/app.js';
import { createLogger } from '../../src/log.js';
import { type Client, clientOf, newWallet, type Wallet } from '../harness.js';
import { givenRuntimeRole } from '../runtime-role.js';
import { emptyDeployment } from './deployment.js';
import {
  callKarat,
  type Env,
  type KaratRun,
  karatArguments,
  runInstalledKarat,
  runKarat,
} from './run-karat.js';

/** The first day of a deployment, from an empty database and a program that was just deployed; tests share it in their order. */
let deployment: Awaited<ReturnType<typeof emptyDeployment>>;
let ctx: OwnedContext;
let app: Awaited<ReturnType<typeof buildOperatorApp>>;

beforeAll(async () => {
  deployment = await emptyDeployment();
  ctx = await createContext(readConfig(deployment.env), { log: createLogger('silent') });
});
afterAll(async () => {
  await app?.close();
  await ctx?.close();
  await deployment?.close();
});

const password = 'correct horse battery staple';
/** Starting a process takes seconds on a busy machine. */
const patience = { timeout: 90_000 };
/** The environment of somebody who may connect as the owner of the tables. */
const asOwner = () => ({ ...deployment.env, KARAT_OWNER_DATABASE_URL: deployment.env.DATABASE_URL ?? '' });
const operatorOf = (token: string): Client => clientOf(app, { authorization: `Bearer ${token}` });
const create = (...args: string[]) => ['operator', 'create', ...args];
const account = ['--email', 'Sana@Karat.test', '--name', 'Sana Malik', '--role', 'admin'];

/** What the audit log has of the command line, in order. */
async function audited() {
  const rows = await findAuditRowsAfter(ctx.db, 0, 1_000);
  return rows.map(({ action, personId, requestId }) => [action, personId, requestId]);
}

test('the installed command hands on arguments, exit code and what is printed', patience, async () => {
  expect(await runInstalledKarat(['chain', 'fly'], deployment.env)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^karat chain takes one of: deploy, upgrade-authority, init, status, pause, [a-z, -]+\n$/,
    ),
  });
});

test('a command before the database is migrated reports that it is not', async () => {
  expect(await callKarat(create(...account), deployment.env, password)).toEqual({
    code: 1,
    stdout: '',
    stderr: "The database at DATABASE_URL does not have this version's tables: run karat migrate\n",
  });
  expect(await callKarat(['migrate'], deployment.env)).toEqual({ code: 0, stdout: '', stderr: '' });
});

describe('chain init', () => {
  const mints = ['--usdc-mint', 'new', '--gold-mint', 'new'];
  const uri = ['--gold-uri', 'https://karat.test/token/gold.json'];
  const named = [
    '--gold-name',
    'Karat Gold',
    '--gold-symbol',
    'GOLD',
    '--gold-issuer',
    'Karat Limited',
    ...uri,
  ];
  const outflows = ['--daily-outflow-usdc', '2000000', '--daily-outflow-gold', 'none'];
  const limits = [...outflows, '--daily-mint', '100000'];
  const init = (...more: string[]) => ['chain', 'init', ...mints, ...named, ...limits, ...more];
  /** The call with other values of options that it gives already. */
  const with_ = (...changed: string[]) => {
    const args = init();
    for (let at = 0; at < changed.length; at += 2)
      args[args.indexOf(changed[at] ?? '') + 1] = changed[at + 1] ?? '';
    return args;
  };

  test('chain init is refused before it is tried when it cannot succeed', async () => {
    const { env, keys } = deployment;
    const { KARAT_ADMIN_SIGNER: _admin, ...withoutAdmin } = env;
    const runs = [
      await callKarat(['chain', 'status'], env),
      await callKarat(['chain', 'init', '--usdc-mint', 'new', ...limits], env),
      await callKarat(with_('--usdc-mint', 'x\ny'), env),
      await callKarat(init('--max-trade-usdc', '0'), env),
      await callKarat(init('--max-fee-bps', '10001'), env),
      await callKarat(init('--min-price', '2', '--max-price', '1'), env),
      await callKarat(init('--upgrade-authority-keypair', '/nowhere'), env),
      await callKarat(init(), withoutAdmin),
      await callKarat(init('--upgrade-authority-keypair', deployment.fileOf('guardian')), env),
      await callKarat(init(), { ...env, KARAT_PROGRAM_ID: keys.spare.address }),
      await callKarat(init(), { ...env, KARAT_PROGRAM_ID: deployment.finalProgram }),
      await callKarat(init(), { ...env, KARAT_SERVICE_SIGNER: '' }),
    ];
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
      [1, expect.stringMatching(/^service_unavailable: The Solana node does not respond/)],
      [2, '--gold-mint ADDRESS is missing (or KARAT_INIT_GOLD_MINT in the environment)\n'],
      [2, '--usdc-mint must be an address, not "x\\ny"\n'],
      [
        2,
        '--max-trade-usdc must be a positive amount with at most 6 decimals, or none for no limit, not "0"\n',
      ],
      [2, '--max-fee-bps must be a whole number from 0 to 1000, not "10001"\n'],
      [2, '--min-price must be at most 1, which is --max-price, not "2"\n'],
      [2, '--upgrade-authority-keypair: "/nowhere" cannot be read\n'],
      [
        1,
        'KARAT_ADMIN_SIGNER is not set: give --admin ADDRESS and --upgrade-authority-keypair FILE instead\n',
      ],
      [
        1,
        `forbidden: Only the upgrade authority ${keys.admin.address} can initialize the program ${deployment.program}.\n`,
      ],
      [1, `forbidden: There is no program at ${keys.spare.address} to initialize.\n`],
      [
        1,
        `forbidden: The program ${deployment.finalProgram} is final: only an upgrade authority can initialize it, and it has none. Deploy it again.\n`,
      ],
      [1, 'KARAT_SERVICE_SIGNER is not set: its key becomes the first service signer\n'],
    ]);
  });

  test('chain init refuses a name that wallets cut off, an unsafe address and one key for two roles', async () => {
    const { env, keys } = deployment;
    const { admin, guardian, operations, service } = keys;
    const runs = [
      await callKarat(['chain', 'init', ...mints, ...limits], env),
      await callKarat(with_('--gold-name', 'x'.repeat(33)), env),
      await callKarat(with_('--gold-name', 'Karat\u202eGold'), env),
      await callKarat(with_('--gold-symbol', 'GOLDGOLDGO€'), env),
      await callKarat(with_('--gold-uri', 'http://karat.test/gold.json'), env),
      await callKarat(with_('--gold-uri', `https://karat.test/${'x'.repeat(200)}`), env),
      await callKarat(with_('--gold-uri', 'gold.json'), { ...env, KARAT_NETWORK: 'localnet' }),
      await callKarat(with_('--gold-issuer', ' '), env),
      await callKarat(with_('--gold-mint', admin.address), env),
      await callKarat(['chain', 'init', ...mints, ...named, ...outflows], env),
      await callKarat(with_('--daily-mint', '0'), env),
      await callKarat(with_('--daily-outflow-gold', '0'), env),
      await callKarat(init('--change-delay', '86399'), env),
      await callKarat(init('--recovery-delay', '0'), env),
      await callKarat(init('--max-attestation-age', '7948801'), env),
      await callKarat(init('--min-usdc-price', '1.01'), env),
      await callKarat(init('--require-backing', '0'), env),
      await callKarat(init('--guardian', admin.address), env),
      await callKarat(init('--admin', guardian.address), env),
      await callKarat(init('--attestor', operations.address), env),
      await callKarat(init('--attestor', service.address), env),
    ];
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '2 --gold-name TEXT is missing (or KARAT_INIT_GOLD_NAME in the environment)\n',
      `2 --gold-name must be 1 to 32 bytes of plain text, not "${'x'.repeat(33)}"\n`,
      '2 --gold-name must be 1 to 32 bytes of plain text, not "Karat\u202eGold"\n',
      '2 --gold-symbol must be 1 to 10 bytes of plain text, not "GOLDGOLDGO€"\n',
      '2 --gold-uri must be an https URL, not "http://karat.test/gold.json"\n',
      expect.stringMatching(/^2 --gold-uri must be 1 to 200 bytes of plain text, not "/),
      '2 --gold-uri must be an http or https URL, not "gold.json"\n',
      '2 --gold-issuer must be 1 to 64 bytes of plain text, not " "\n',
      '2 --gold-name takes --gold-mint new: a mint that is there has its name already\n',
      '2 --daily-mint GOLD is missing (or KARAT_INIT_DAILY_MINT in the environment)\n',
      '2 --daily-mint must be a positive amount with at most 6 decimals, or none for no limit, not "0"\n',
      '2 --daily-outflow-gold must be a positive amount with at most 6 decimals, or none for no limit, not "0"\n',
      '2 --change-delay must be a whole number from 86400 to 2592000, not "86399"\n',
      '2 --recovery-delay must be a whole number from 86400 to 2592000, not "0"\n',
      '2 --max-attestation-age must be a whole number from 1 to 7948800, not "7948801"\n',
      '2 --min-usdc-price must be at most 1, not "1.01"\n',
      '2 --require-backing must be yes or no, not "0"\n',
      `2 --guardian must differ from KARAT_ADMIN_SIGNER: guardian and admin must not be the same key, "${admin.address}"\n`,
      `2 KARAT_GUARDIAN_SIGNER must differ from --admin: guardian and admin must not be the same key, "${guardian.address}"\n`,
      `2 --attestor must differ from KARAT_OPERATIONS_SIGNER: attestor and operations must not be the same key, "${operations.address}"\n`,
      `2 --attestor must differ from KARAT_SERVICE_SIGNER: attestor and service signer must not be the same key, "${service.address}"\n`,
    ]);
  });

  test('chain init initializes a program once', patience, async () => {
    const { env, keys, program } = deployment;
    // One value from the command line, the others from the environment, which `serve` would not know.
    const settings = {
      KARAT_INIT_USDC_MINT: 'new',
      KARAT_INIT_GOLD_MINT: 'new',
      KARAT_INIT_MAX_TRADE_USDC: '5000',
    };
    const args = ['chain', 'init', ...named, ...limits];
    const run = await runKarat(args, { ...env, ...settings });
    expect([run.code, run.stderr]).toEqual([0, '']);
    const made = JSON.parse(run.stdout);
    expect(made).toMatchObject({
      program_address: program,
      admin: keys.admin.address,
      guardian: keys.guardian.address,
      service_signer: keys.service.address,
    });
    await ctx.chain.start();
    expect(ctx.chain.program.config()).toMatchObject({
      admin: keys.admin.address,
      hotKeys: {
        operations: keys.operations.address,
        market: keys.market.address,
        compliance: noKey,
        serviceSigners: [keys.service.address, noKey],
      },
      paused: 31,
      usdcMint: made.usdc_mint,
      goldMint: made.gold_mint,
      escrowGold: made.escrow_gold,
      treasuryUsdc: made.treasury_usdc,
      feeUsdc: tokenAccountOf(made.config, usdcOf({ usdcMint: made.usdc_mint })),
      settings: {
        guardian: keys.guardian.address,
        attestor: noKey,
        maxTradeUsdc: 5_000_000_000n,
        dailyOutflowUsdc: 2_000_000_000_000n,
        dailyOutflowGold: 2n ** 64n - 1n,
        dailyMint: 100_000_000_000n,
        maxAgeClosed: 0,
        maxAgeOpen: 60,
        burnDelay: 86_400,
        redemptionTimeout: 7_776_000,
        requireBacking: 1,
        freezeEnabled: 0,
      },
    });
    const mint = deployment.node.getAccount(made.gold_mint);
    expect(decodeTokenMetadata(Buffer.from(mint?.data ?? []))).toMatchObject({
      name: 'Karat Gold',
      symbol: 'GOLD',
      uri: 'https://karat.test/token/gold.json',
      additional: { issuer: 'Karat Limited', oz_per_token: '1' },
    });
    const again = await callKarat([...args, ...mints], env);
    expect([again.code, again.stderr]).toEqual([
      1,
      `transition_not_allowed: The program ${program} is already initialized; its admin can change its settings.\n`,
    ]);
    expect(await audited()).toEqual([['chain.init', null, null]]);
  });
});

/** Runs a command of the chain that succeeds, and returns what it prints. */
async function onChain(...args: string[]) {
  const { code, stdout, stderr } = await callKarat(['chain', ...args], deployment.env);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const changeDelaySeconds = 172_800;

/** Settings that hold: proposed, and applied after the delay. */
async function giveSettings(...args: string[]) {
  await onChain('propose', ...args);
  deployment.node.warp({ seconds: changeDelaySeconds });
  return onChain('apply');
}

describe('chain propose', () => {
  const propose = (...args: string[]) => callKarat(['chain', 'propose', ...args], deployment.env);

  test('chain propose proposes every setting, and what is left out stays', async () => {
    const { program, keys } = deployment;
    const { settings, pending, ...rest } = await onChain('settings');
    expect(pending).toBeNull();
    expect(rest).toEqual({
      admin: keys.admin.address,
      keys: {
        operations: keys.operations.address,
        market: keys.market.address,
        compliance: null,
        service_signers: [keys.service.address],
      },
      accounts: {
        treasury_usdc_account: expect.any(String),
        treasury_gold_account: expect.any(String),
        fee_account: ctx.chain.program.config().feeUsdc,
      },
    });
    const changes: Record<string, unknown> = {
      guardian: keys.spare.address,
      attestor: keys.spare.address,
      price_account: keys.spare.address,
      price_owner: keys.spare.address,
      feed_id: '0'.repeat(63).concat('1'),
      usdc_price_account: keys.spare.address,
      usdc_feed_id: '0'.repeat(63).concat('2'),
      min_price: 501.25,
      max_price: 49_999,
      min_usdc_price: 0.995,
      max_trade_usdc: 1234.5,
      daily_outflow_usdc: 'none',
      daily_outflow_gold: 6,
      daily_mint: 5.5,
      withdraw_owners: [keys.spare.address, keys.admin.address],
      max_age_open: 90,
      max_age_closed: 3_600,
      recovery_delay: 260_000,
      change_delay: 90_000,
      burn_delay: 3_600,
      redemption_timeout: 2_592_000,
      opposite_side_seconds: 0,
      max_attestation_age: 3_600,
      max_confidence_bps: 50,
      min_fee_bps: 0,
      max_fee_bps: 900,
      require_backing: false,
      freeze_enabled: true,
    };
    expect(Object.keys(changes).sort()).toEqual(Object.keys(settings).sort());
    const optionOf = ([name, value]: [string, unknown]) => [
      `--${name.replaceAll('_', '-')}`,
      value === true ? 'yes' : value === false ? 'no' : String(value),
    ];
    const { guardian, ...others } = changes;
    // One alone, all others together, and the guardian, which is always alone.
    for (const change of [{ burn_delay: 7_200 }, others, { guardian }]) {
      const options = Object.entries(change).flatMap(optionOf);
      const made = await onChain('propose', ...options, '--reason', 'as agreed');
      expect(made).toMatchObject({ settings, tx_hash: expect.any(String) });
      expect(made.pending).toEqual({
        settings: { ...settings, ...change },
        proposed_at: expect.stringMatching(/Z$/),
        ready_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        cancellable_by: 'guardian' in change ? ['admin'] : ['guardian', 'admin'],
      });
      expect((await findAuditRowsAfter(ctx.db, 0, 1_000)).at(-1)).toMatchObject({
        action: 'settings.propose',
        objectId: program,
        before: Object.fromEntries(Object.keys(change).map((name) => [name, settings[name]])),
        after: { ...change, tx_hash: made.tx_hash },
        reason: 'as agreed',
      });
      expect(await onChain('cancel')).toEqual({ settings, pending: null, tx_hash: expect.any(String) });
    }
    // What is so already is not sent.
    expect(await onChain('propose', '--max-age-open', '60')).toEqual({
      settings,
      pending: null,
      tx_hash: null,
    });
  });

  test('chain apply applies what is proposed after the delay, without a key that has a role', async () => {
    const { settings } = await onChain('settings');
    const run = async (...args: string[]) => {
      const { code, stderr } = await callKarat(['chain', ...args], deployment.env);
      return `${code} ${stderr}`;
    };
    const nothing = '1 transition_not_allowed: No settings are proposed.\n';
    expect([await run('apply'), await run('cancel')]).toEqual([nothing, nothing]);
    const { pending } = await onChain('propose', '--max-age-open', '45', '--min-fee-bps', '5');
    const delay = (Date.parse(pending.ready_at) - Date.parse(pending.proposed_at)) / 1_000;
    expect(delay).toBe(changeDelaySeconds);
    expect(await run('apply')).toBe(
      `1 transition_not_allowed: The settings cannot be applied before ${pending.ready_at}.\n`,
    );
    expect(await run('propose', '--max-age-open', '50')).toMatch(
      /^1 transition_not_allowed: Other settings are proposed/,
    );
    deployment.node.warp({ seconds: changeDelaySeconds });
    const { KARAT_ADMIN_SIGNER: _admin, KARAT_GUARDIAN_SIGNER: _guardian, ...env } = deployment.env;
    const applied = await callKarat(['chain', 'apply', '--reason', 'as agreed'], env);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    const next = { ...settings, max_age_open: 45, min_fee_bps: 5 };
    expect(JSON.parse(applied.stdout)).toEqual({
      settings: next,
      pending: null,
      tx_hash: expect.any(String),
    });
    expect((await findAuditRowsAfter(ctx.db, 0, 1_000)).at(-1)).toMatchObject({
      action: 'settings.apply',
      before: { max_age_open: 60, min_fee_bps: 10 },
      after: { max_age_open: 45, min_fee_bps: 5 },
      reason: 'as agreed',
    });
    await giveSettings('--max-age-open', '60', '--min-fee-bps', '10');
  });

  test('chain propose refuses impossible settings, and nothing is proposed', async () => {
    const before = await onChain('settings');
    const { KARAT_ADMIN_SIGNER: _admin, ...withoutAdmin } = deployment.env;
    const runs = [
      await propose(),
      await propose('--max-age-open', '1.5'),
      await propose('--max-trade-usdc', '-1'),
      await propose('--max-trade-usdc', '0'),
      await propose('--max-fee-bps', '1001'),
      await propose('--recovery-delay', '2592001'),
      await propose('--burn-delay', '3599'),
      await propose('--withdraw-owners', 'a,b'),
      await propose('--guardian', before.accounts.fee_account),
      await propose('--feed-id', 'abc'),
      await propose('--freeze-enabled', 'maybe'),
      await propose('--guardian', deployment.keys.spare.address, '--max-age-open', '50'),
      await propose('--min-price', '60000'),
      await propose('--min-fee-bps', '1000', '--max-fee-bps', '999'),
      await propose('--attestor', deployment.keys.operations.address),
    ];
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '2 karat chain propose takes at least one setting: --help lists them\n',
      '2 --max-age-open must be a whole number from 1 to 300, not "1.5"\n',
      '2 --max-trade-usdc must be a positive amount with at most 6 decimals, or none for no limit, not "-1"\n',
      '2 --max-trade-usdc must be a positive amount with at most 6 decimals, or none for no limit, not "0"\n',
      '2 --max-fee-bps must be a whole number from 0 to 1000, not "1001"\n',
      '2 --recovery-delay must be a whole number from 86400 to 2592000, not "2592001"\n',
      '2 --burn-delay must be a whole number from 3600 to 2592000, not "3599"\n',
      '2 --withdraw-owners must be one to four different addresses with commas, or none, not "a,b"\n',
      expect.stringMatching(/^2 --guardian must be the address of a key, not "/),
      '2 --feed-id must be 64 hexadecimal digits, not "abc"\n',
      '2 --freeze-enabled must be yes or no, not "maybe"\n',
      '1 invalid_request: --guardian can only be replaced by a proposal that changes nothing else.\n',
      expect.stringMatching(/^1 broadcast_failed: The chain would reject /),
      '2 --min-fee-bps must be at most 999, which is --max-fee-bps, not "1000"\n',
      expect.stringMatching(/^1 broadcast_failed: The chain would reject this: RoleConflict/),
    ]);
    expect(await onChain('settings')).toEqual(before);
    // What the admin has to sign elsewhere is printed for it.
    const run = await callKarat(['chain', 'propose', '--max-trade-usdc', '7'], withoutAdmin);
    expect([run.code, run.stderr]).toEqual([0, '']);
    const { transaction, signers, ...rest } = JSON.parse(run.stdout);
    expect(rest).toEqual({ tx_hash: null, expires_at: expect.any(String) });
    expect(signers).toEqual([deployment.keys.admin.address]);
    const { accounts, layout } = readLegacyTransaction(Buffer.from(transaction, 'base64'));
    expect(layout.readonlySigned).toBe(1);
    expect(getAddressDecoder().decode(accounts[0] ?? new Uint8Array())).toBe(
      deployment.keys.operations.address,
    );
    const paid = await callKarat(
      ['chain', 'propose', '--max-trade-usdc', '7', '--fee-payer', deployment.keys.spare.address],
      withoutAdmin,
    );
    expect([paid.code, paid.stderr]).toEqual([1, expect.stringContaining('broadcast_failed')]);
  });
});

describe('chain replace-key', () => {
  const replace = (...args: string[]) => callKarat(['chain', 'replace-key', ...args], deployment.env);
  const replaced = (...args: string[]) => onChain('replace-key', ...args);

  test('chain replace-key replaces a hot key at once, and adds and removes a service signer', async () => {
    const { market, service, spare } = deployment.keys;
    const sent = { tx_hash: expect.any(String) };
    const lost = ['--reason', 'lost'];
    const made = await replaced('--role', 'market', '--old', market.address, '--new', spare.address, ...lost);
    expect(made).toMatchObject({ keys: { market: spare.address }, ...sent });
    expect((await findAuditRowsAfter(ctx.db, 0, 1_000)).at(-1)).toMatchObject({
      action: 'chain.key',
      before: { role: 'market', key: market.address },
      after: { role: 'market', key: spare.address },
      reason: 'lost',
    });
    expect(await replaced('--role', 'market', '--new', market.address)).toMatchObject({
      keys: { market: market.address },
    });
    const added = await replaced('--role', 'service', '--old', 'none', '--new', spare.address);
    expect(added.keys.service_signers).toEqual([service.address, spare.address]);
    const removed = await replaced('--role', 'service', '--old', spare.address, '--new', 'none');
    expect(removed.keys.service_signers).toEqual([service.address]);
  });

  test('chain replace-key refuses a key without the role, and a program without a service signer', async () => {
    const { service, spare, guardian } = deployment.keys;
    const runs = [
      await replace('--role', 'guardian', '--new', spare.address),
      await replace('--role', 'market', '--old', spare.address, '--new', guardian.address),
      await replace('--role', 'service', '--new', spare.address),
      await replace('--role', 'service', '--old', service.address, '--new', 'none'),
      await replace('--role', 'market', '--new', 'x'),
    ];
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '2 --role must be one of operations, market, compliance, service, not "guardian"\n',
      `1 transition_not_allowed: ${spare.address} is no market key of the program.\n`,
      expect.stringMatching(/^1 transition_not_allowed: Name which of /),
      '1 transition_not_allowed: This is the only service signer: add another one first.\n',
      '2 --new must be an address, not "x"\n',
    ]);
  });
});

describe('chain rotate-accounts', () => {
  test('chain rotate-accounts replaces an account of the treasury, and refuses one that is not its own', async () => {
    const { feeUsdc } = ctx.chain.program.config();
    /** Another token account of the program: a copy of its own at a new address. */
    const { address } = newWallet();
    deployment.node.setAccount(address, deployment.node.getAccount(feeUsdc));
    const { accounts, ...sent } = await onChain('rotate-accounts', '--fee-account', address);
    expect([accounts.fee_account, sent]).toEqual([address, { tx_hash: expect.any(String) }]);
    const { treasury_usdc_account: treasury } = accounts;
    const run = await callKarat(['chain', 'rotate-accounts', '--fee-account', treasury], deployment.env);
    expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(/^broadcast_failed: The chain would /)]);
    const none = await callKarat(['chain', 'rotate-accounts'], deployment.env);
    expect([none.code, none.stderr]).toEqual([
      2,
      'karat chain rotate-accounts takes at least one account: --help lists them\n',
    ]);
    const back = await onChain('rotate-accounts', '--fee-account', feeUsdc);
    expect(back.accounts.fee_account).toBe(feeUsdc);
  });
});

describe('treasury fund', () => {
  const fund = (...args: string[]) => callKarat(['treasury', 'fund', ...args], deployment.env);

  test('treasury fund transfers what the admin has, and refuses the rest', async () => {
    const { usdcMint, treasuryUsdc } = ctx.chain.program.config();
    const { admin } = deployment.keys;
    await deployment.node.setTokenBalance(admin.address, usdcMint, 5_000_000n);
    const run = await fund('--usdc', '4.5', '--reason', 'first stock');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(JSON.parse(run.stdout)).toEqual({ usdc: '4.5', gold: '0', tx_hash: expect.any(String) });
    const held = Buffer.from(deployment.node.getAccount(treasuryUsdc)?.data ?? []);
    expect(held.readBigUInt64LE(64)).toBe(4_500_000n);
    const runs = [await fund(), await fund('--gold', '0'), await fund('--usdc', '1')];
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '2 karat treasury fund takes --usdc AMOUNT, --gold AMOUNT or both\n',
      '2 --gold must be a positive amount with at most 6 decimals, not "0"\n',
      expect.stringMatching(/^1 broadcast_failed: The chain would reject /),
    ]);
  });
});

describe('reserve attest and gold mint', () => {
  const mint = (amount: string, env = deployment.env) => callKarat(['gold', 'mint', '--amount', amount], env);
  const readGold = async () => {
    const { treasuryGold } = ctx.chain.program.config();
    return Buffer.from(deployment.node.getAccount(treasuryGold)?.data ?? []).readBigUInt64LE(64);
  };

  test('gold is minted as far as it is attested, and the refusal reports the excess', async () => {
    const { spare, admin } = deployment.keys;
    const { DATABASE_URL: _database, KARAT_ADMIN_SIGNER: _admin, ...outside } = deployment.env;
    const report = join(deployment.folder, 'report.pdf');
    writeFileSync(report, 'bars 1 to 4');
    const hash = createHash('sha256').update('bars 1 to 4').digest('hex');
    const attest = (amount: string, ...more: string[]) =>
      callKarat(
        ['reserve', 'attest', '--amount', amount, '--burned-at', '0', '--report', report, ...more],
        outside,
      );
    const signed = ['--attestor-keypair', deployment.fileOf('spare')];
    deployment.node.airdrop(spare.address, 10_000_000_000n);
    expect([await mint('1'), await attest('10')].map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '1 broadcast_failed: The chain would refuse to mint 1 GOLD: nothing has been attested yet. An attestation counts once it is final, within half a minute.\n',
      '1 forbidden: The program has no attestor.\n',
    ]);
    await giveSettings('--attestor', spare.address, '--max-attestation-age', '3600');
    const refusals = [
      await attest('-1'),
      await attest('10', '--as-of', 'yesterday'),
      await attest('10', '--as-of', '2100-01-01T00:00:00Z', '--confirm', '10', ...signed),
      await attest('10', ...signed),
      await attest('10', '--attestor-keypair', deployment.fileOf('admin')),
      await attest('10', '--report', 'twice'),
      await callKarat(['reserve', 'attest', '--amount', '1', '--report', report], outside),
      await callKarat(
        ['reserve', 'attest', '--amount', '1', '--burned-at', '0', '--report', '/nowhere'],
        outside,
      ),
      await callKarat(
        ['reserve', 'attest', '--amount', '1', '--burned-at', '0.5', '--report', report],
        outside,
      ),
      await mint('1'),
    ];
    expect(refusals.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '2 --amount must be an amount, 0 or more, with at most 6 decimals, not "-1"\n',
      '2 --as-of must be a timestamp such as 2026-03-01T12:00:00Z, not "yesterday"\n',
      expect.stringMatching(/^1 broadcast_failed: The chain would reject this: InvalidArgument: /),
      '1 invalid_request: --confirm: An attestation of 10 oz is the first one, and the bars in the vaults are not known here: it cannot be compared with anything. Repeat it as confirm if it is right.\n',
      `1 forbidden: The program's attestor is ${spare.address}, not ${admin.address}.\n`,
      '2 --report is given twice\n',
      '2 --burned-at AMOUNT is missing (or KARAT_ATTEST_BURNED_AT in the environment)\n',
      '1 --report: "/nowhere" cannot be read\n',
      '1 invalid_request: --burned-at must be from 0, as in the last attestation, to 0, which is burned now.\n',
      '1 broadcast_failed: The chain would refuse to mint 1 GOLD: nothing has been attested yet. An attestation counts once it is final, within half a minute.\n',
    ]);

    const unsigned = await attest('10', '--confirm', '10');
    expect([unsigned.code, unsigned.stderr]).toEqual([0, '']);
    expect(JSON.parse(unsigned.stdout)).toEqual({
      attested: '10',
      burned_at_as_of: '0',
      as_of: expect.stringMatching(/Z$/),
      report_hash: hash,
      transaction: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      signers: [spare.address],
      last_valid_block_height: expect.any(Number),
    });
    const attested = await attest('10', '--confirm', '10', ...signed);
    expect([attested.code, attested.stderr]).toEqual([0, '']);
    expect(JSON.parse(attested.stdout)).toEqual({
      attested: '10',
      burned_at_as_of: '0',
      as_of: expect.stringMatching(/Z$/),
      report_hash: hash,
      tx_hash: expect.any(String),
    });
    const { as_of: asOf } = JSON.parse(attested.stdout);
    expect([
      (await attest('10.5', '--as-of', asOf, ...signed)).stderr,
      (await attest('10', '--as-of', asOf, ...signed)).code,
    ]).toEqual([
      `invalid_request: --as-of must be later than ${asOf}, the moment of the last attestation, unless the report is the same.\n`,
      0,
    ]);
    expect((await mint('1')).stderr).toContain(
      'nothing has been attested yet. An attestation counts once it is final',
    );
    deployment.node.finalize();
    expect((await mint('10.25')).stderr).toBe(
      'broadcast_failed: The chain would refuse to mint 10.25 GOLD: that is 0.25 GOLD more than is attested (0 exist, 10 are attested, 0 were burned since). An attestation counts once it is final, within half a minute.\n',
    );
    const held = JSON.parse((await mint('1', { ...deployment.env, KARAT_ADMIN_SIGNER: '' })).stdout);
    expect(held).toMatchObject({ signers: [admin.address], transaction: expect.any(String) });
    // The admin may be an account of a multisig program, which signs and does not pay.
    const { signatures } = getTransactionDecoder().decode(Buffer.from(held.transaction, 'base64'));
    expect(Object.entries(signatures)).toEqual([
      [deployment.keys.operations.address, expect.any(Uint8Array)],
      [admin.address, null],
    ]);
    expect(await readGold()).toBe(0n);
    const minted = await mint('10');
    expect([minted.code, minted.stderr]).toEqual([0, '']);
    expect(JSON.parse(minted.stdout)).toEqual({
      minted: '10',
      supply: '10',
      attested: '10',
      tx_hash: expect.any(String),
    });
    expect(await readGold()).toBe(10_000_000n);
    expect((await findAuditRowsAfter(ctx.db, 0, 1_000)).at(-1)).toMatchObject({
      action: 'gold.mint',
      before: { supply: '0' },
      after: { minted: '10', supply: '10', attested: '10', tx_hash: expect.any(String) },
    });
    expect(JSON.parse((await callKarat(['reserve', 'status'], outside)).stdout)).toMatchObject({
      attested: '10',
      burned_at_as_of: '0',
      burned_total: '0',
      attested_less_burns: '10',
    });
    deployment.node.warp({ seconds: 3_700 });
    expect((await mint('1')).stderr).toMatch(
      /^broadcast_failed: The chain would refuse to mint 1 GOLD: the last attestation is as of \S+Z, which is more than 3600 s ago\. An attestation counts once it is final, within half a minute\.\n$/,
    );
  });
});

describe('a doubted attestation', () => {
  test('reserve attest takes an amount that differs by more than 10 % only when it is repeated', async () => {
    const { DATABASE_URL: _database, KARAT_ADMIN_SIGNER: _admin, ...outside } = deployment.env;
    const report = join(deployment.folder, 'doubted.pdf');
    writeFileSync(report, 'bars 1 to 5');
    const attest = (env: Env, amount: string, ...more: string[]) => {
      const given = ['--amount', amount, '--burned-at', '0', '--report', report, ...more];
      return callKarat(['reserve', 'attest', ...given], env);
    };
    const runs = [
      await attest(outside, '11.000001'),
      await attest(outside, '8.999999'),
      await attest(outside, '90000000', '--confirm', '9000000'),
      await attest(outside, '9000000000'),
      // The bars are compared as well where they are known.
      await attest(deployment.env, '10'),
    ];
    const leaves = 'the 10 oz that the last attestation leaves, less burns';
    const doubt = (amount: string, of: string) =>
      `1 invalid_request: --confirm: An attestation of ${amount} oz differs by more than 10 % from ${of}. Repeat it as confirm if it is right.\n`;
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      doubt('11.000001', leaves),
      doubt('8.999999', leaves),
      '1 invalid_request: --confirm must be the same as amount.\n',
      doubt('9000000000', leaves),
      doubt('10', 'the 0 oz of the bars in the vault'),
    ]);
    const taken = [
      await attest(outside, '11'),
      await attest(outside, '9'),
      await attest(outside, '12', '--confirm', '12'),
      await attest(deployment.env, '10', '--confirm', '10.0'),
    ];
    deployment.node.finalize();
    expect(taken.map(({ code, stdout, stderr }) => [code, stderr, JSON.parse(stdout).attested])).toEqual([
      [0, '', '11'],
      [0, '', '9'],
      [0, '', '12'],
      [0, '', '10'],
    ]);
  });
});

/** A bar of a kilogram, which covers what was minted. */
async function givenBar(): Promise<void> {
  const at = new Date();
  await ctx.db.transaction(async (tx) => {
    await insertCountry(tx, { code: 'PK', name: 'Pakistan', active: true });
    const place = { country: 'PK', city: 'Karachi', active: true };
    await insertDenomination(tx, { id: 'kilo', label: '1 kg', weightG: '1000', ...place }, at);
    const bar = { serial: 'A1', refiner: 'Valcambi', fineness: '999.9', weightG: '1000' };
    await insertBars(tx, [{ ...bar, denominationId: 'kilo', city: 'Karachi' }], at);
  });
}

describe('reserves', () => {
  const reserves = (command: string, ...more: string[]) =>
    callKarat(['reserves', command, ...more], {
      ...deployment.env,
      KARAT_RESERVES_SIGNER: deployment.fileOf('spare'),
    });

  test('a statement is published, and countersigned with a key file or by a signature', async () => {
    expect(await callKarat(['reserves', 'statement'], deployment.env)).toMatchObject({
      code: 1,
      stderr: 'KARAT_RESERVES_SIGNER is not set: its key signs the statement\n',
    });
    expect((await reserves('statement')).stderr).toMatch(/^transition_not_allowed: No bar has been entered/);
    await givenBar();
    const { code, stdout, stderr } = await reserves('statement');
    expect(code, stderr).toBe(0);
    const { statement_id: id, ...made } = JSON.parse(stdout);
    expect(made).toMatchObject({ sequence: 1, assertion: expect.stringMatching(/COVERED: /) });
    const stored = await findStatement(ctx.db, id);
    if (!stored) throw new Error('no statement');
    expect(stored.hash).toBe(made.hash);
    const { admin, guardian } = deployment.keys;
    const hex = (by: Wallet) => Buffer.from(addressToBytes(by.address)).toString('hex');
    const signature = Buffer.from(guardian.signBytes(Buffer.from(stored.body))).toString('base64');
    const auditor = ['--auditor-keypair', deployment.fileOf('admin')];
    const signed = ['--public-key', hex(guardian), '--signature', signature];
    const responses = [
      await reserves('countersign', '--statement', 'rs_none', ...auditor),
      await reserves('countersign', '--statement', id),
      await reserves('countersign', '--statement', id, '--public-key', hex(admin), '--signature', signature),
      await reserves('countersign', '--statement', id, ...auditor),
      await reserves('countersign', '--statement', id, ...signed),
    ];
    expect(responses.map((response) => [response.code, response.stderr])).toEqual([
      [1, 'There is no statement rs_none\n'],
      [2, 'Give --auditor-keypair, or --public-key and --signature\n'],
      [1, expect.stringContaining('The signature is not one of this statement by this key')],
      [0, ''],
      [0, ''],
    ]);
    const { countersignatures } = (await findStatement(ctx.db, id)) ?? {};
    expect(countersignatures?.map(({ public_key }) => public_key)).toEqual([hex(admin), hex(guardian)]);
  });

  test('a report is published only if an attestation names it', async () => {
    const write = (name: string, content: string) => {
      const path = join(deployment.folder, name);
      writeFileSync(path, content);
      return path;
    };
    // What was attested before.
    const content = 'bars 1 to 4';
    const runs = [
      await reserves('report', '--report', join(deployment.folder, 'none.pdf')),
      await reserves('report', '--report', write('other.txt', 'bars 1 to 5')),
      await reserves('report', '--report', write('report.txt', content)),
    ];
    const report_hash = createHash('sha256').update(content).digest('hex');
    expect(runs.map(({ code, stdout, stderr }) => [code, stderr || stdout])).toEqual([
      [1, expect.stringMatching(/^--report: ".*none\.pdf" cannot be read\n$/)],
      [1, expect.stringMatching(/^transition_not_allowed: No attestation names this file: its SHA-256 is /)],
      [0, `${JSON.stringify({ report_hash, bytes: content.length })}\n`],
    ]);
  });
});

describe('authority propose', () => {
  test('authority propose refuses impossible proposals before anything is sent', async () => {
    const propose = (...args: string[]) => callKarat(['authority', 'propose', ...args], deployment.env);
    const partner = ['--partner', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'];
    const runs = [
      await propose('--partner', 'x', '--role', 'update', '--address', deployment.keys.spare.address),
      await propose(...partner, '--role', 'executive', '--address', deployment.keys.spare.address),
      await propose(...partner, '--role', 'update', '--address', 'x'),
      await propose(...partner, '--role', 'update', '--address', deployment.keys.spare.address),
    ];
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '2 --partner must be the id of a partner, not "x"\n',
      '2 --role must be one of wallet, update, withdrawal, not "executive"\n',
      '2 --address must be the address of a key, not "x"\n',
      '1 partner_not_found: There is no partner with this id on chain.\n',
    ]);
  });
});

/** What a command prints that leaves a transaction of the admin to others, paid for by the operations key. */
async function leftUnsigned(...args: string[]) {
  const { KARAT_ADMIN_SIGNER: _admin, ...withoutAdmin } = deployment.env;
  const { code, stdout, stderr } = await callKarat(args, withoutAdmin);
  expect([code, stderr]).toEqual([0, '']);
  const { transaction, ...rest } = JSON.parse(stdout);
  const { accounts } = readLegacyTransaction(Buffer.from(transaction, 'base64'));
  expect(getAddressDecoder().decode(accounts[0] ?? new Uint8Array())).toBe(
    deployment.keys.operations.address,
  );
  return rest;
}
const unsigned = (signer: Address) => ({ tx_hash: null, signers: [signer], expires_at: expect.any(String) });

describe('treasury withdraw', () => {
  const withdraw = (...args: string[]) => callKarat(['treasury', 'withdraw', ...args], deployment.env);

  test('treasury withdraw pays only the owners that the program names', async () => {
    const { usdcMint } = ctx.chain.program.config();
    const { admin } = deployment.keys;
    const to = newWallet().address;
    const refused = await withdraw('--usdc', '1.5', '--to', to);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^broadcast_failed: The chain would reject this: InvalidTokenOwner/),
    ]);
    await giveSettings('--withdraw-owners', to);
    const args = ['--usdc', '1.5', '--to', to];
    expect(await leftUnsigned('treasury', 'withdraw', ...args)).toEqual({
      usdc: '1.5',
      to,
      ...unsigned(admin.address),
    });
    const { code, stdout } = await withdraw(...args, '--reason', 'to the vault');
    expect([code, JSON.parse(stdout)]).toEqual([0, { usdc: '1.5', to, tx_hash: expect.any(String) }]);
    const held = Buffer.from(
      deployment.node.getAccount(tokenAccountOf(to, usdcOf({ usdcMint })))?.data ?? [],
    );
    expect(held.readBigUInt64LE(64)).toBe(1_500_000n);
    const runs = [
      await withdraw('--to', to),
      await withdraw('--usdc', '1', '--fees', '1', '--to', to),
      await withdraw('--gold', '1', '--to', 'nowhere'),
    ];
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '2 karat treasury withdraw takes one of --usdc AMOUNT, --gold AMOUNT and --fees AMOUNT\n',
      '2 karat treasury withdraw takes one of --usdc AMOUNT, --gold AMOUNT and --fees AMOUNT\n',
      '2 --to must be an address, not "nowhere"\n',
    ]);
    expect((await findAuditRowsAfter(ctx.db, 0, 1_000)).at(-1)).toMatchObject({
      action: 'treasury.withdraw',
      after: { usdc: '1.5', to, tx_hash: JSON.parse(stdout).tx_hash },
      reason: 'to the vault',
    });
  });

  test('treasury withdraw takes collected fees too', async () => {
    const { usdcMint, feeUsdc } = ctx.chain.program.config();
    const to = newWallet().address;
    const [config] = await findConfigPda({ programAddress: deployment.program });
    await deployment.node.setTokenBalance(config, usdcMint, 2_000_000n);
    await giveSettings('--withdraw-owners', to);
    const { code, stdout } = await withdraw('--fees', '1.25', '--to', to);
    expect([code, JSON.parse(stdout)]).toEqual([0, { fees: '1.25', to, tx_hash: expect.any(String) }]);
    const balanceOf = (account: Address) =>
      Buffer.from(deployment.node.getAccount(account)?.data ?? []).readBigUInt64LE(64);
    expect(balanceOf(tokenAccountOf(to, usdcOf({ usdcMint })))).toBe(1_250_000n);
    expect(balanceOf(feeUsdc)).toBe(750_000n);
    const { code: more, stderr } = await withdraw('--fees', '1', '--to', to);
    expect([more, stderr]).toEqual([
      1,
      expect.stringMatching(/^broadcast_failed: The chain would reject this: InsufficientLiquidity/),
    ]);
  });
});

describe('chain admin', () => {
  test('chain admin hands the role over once both have signed, after the change delay', async () => {
    const { admin, market } = deployment.keys;
    const run = async (env: Env, ...args: string[]) => {
      const { code, stdout, stderr } = await callKarat(['chain', 'admin', ...args], env);
      return code === 0 ? JSON.parse(stdout) : `${code} ${stderr}`;
    };
    const marketFile = deployment.fileOf('market');
    // One process holds a key once, by the policy of one role.
    const next = { ...deployment.env, KARAT_ADMIN_SIGNER: marketFile, KARAT_MARKET_SIGNER: '' };
    const wait = () => deployment.node.warp({ seconds: changeDelaySeconds });
    const sent = { tx_hash: expect.any(String) };
    const start = { admin: admin.address, pending: null };
    const proposed = (to: Address) => ({
      admin: to,
      ready_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(await run(deployment.env)).toEqual({ ...start, tx_hash: null });
    expect(await run(next, '--accept', 'yes')).toBe('1 transition_not_allowed: No new admin is proposed.\n');
    const propose = ['--propose', market.address];
    expect(await leftUnsigned('chain', 'admin', ...propose)).toEqual({
      ...start,
      ...unsigned(admin.address),
    });
    const pending = proposed(market.address);
    expect(await run(deployment.env, ...propose)).toEqual({ ...start, pending, ...sent });
    // The guardian objects, and it is proposed once more.
    expect(await run({ ...deployment.env, KARAT_ADMIN_SIGNER: '' }, '--cancel', 'yes')).toEqual({
      ...start,
      ...sent,
    });
    expect(await run(deployment.env, ...propose)).toEqual({ ...start, pending, ...sent });
    expect(await run(next, '--accept', 'yes')).toMatch(
      /^1 transition_not_allowed: The hand-over cannot be completed before /,
    );
    wait();
    expect(await run(deployment.env, '--accept', 'yes')).toBe(
      "1 service_unavailable: The admin key of this process is not the program's admin.\n",
    );
    expect(await run(next, '--accept', 'yes')).toEqual({ ...start, admin: market.address, ...sent });
    expect(await run(deployment.env, ...propose)).toBe(
      "1 service_unavailable: The admin key of this process is not the program's admin.\n",
    );
    expect(await run(next, '--propose', admin.address)).toMatchObject({ pending: proposed(admin.address) });
    wait();
    expect(await run(deployment.env, '--accept', 'yes')).toEqual({ ...start, ...sent });
    expect(await run(deployment.env, '--accept', 'yes', '--propose', market.address)).toBe(
      '2 --propose, --accept and --cancel are separate steps: run one after the other\n',
    );
    expect(await run(deployment.env, '--accept', 'now')).toBe('2 --accept must be yes, not "now"\n');
  });
});

describe('treasury sweep-escrow', () => {
  const sweep = (...args: string[]) => callKarat(['treasury', 'sweep-escrow', ...args], deployment.env);
  const heldBy = async (owner: Address) => {
    const { goldMint } = ctx.chain.program.config();
    const data = Buffer.from(
      deployment.node.getAccount(tokenAccountOf(owner, goldOf({ goldMint })))?.data ?? [],
    );
    return data.length === 0 ? 0n : data.readBigUInt64LE(64);
  };

  test('treasury sweep-escrow moves to the treasury what no redemption needs, and no more', async () => {
    const { goldMint, escrowAuthority, treasuryAuthority } = ctx.chain.program.config();
    await deployment.node.setTokenBalance(escrowAuthority, goldMint, 3_000_000n);
    const before = await heldBy(treasuryAuthority);
    expect(await leftUnsigned('treasury', 'sweep-escrow', '--gold', '1')).toEqual({
      gold: '1',
      ...unsigned(deployment.keys.admin.address),
    });
    const runs = [
      await sweep('--gold', '2.5', '--reason', 'a stray deposit'),
      await sweep('--gold', '0.6'),
      await sweep(),
      await sweep('--gold', 'much'),
      await sweep('--gold', '1', '--to', newWallet().address),
    ];
    expect(JSON.parse(runs[0]?.stdout ?? '')).toEqual({ gold: '2.5', tx_hash: expect.any(String) });
    expect(runs.slice(1).map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      expect.stringMatching(/^1 broadcast_failed: The chain would reject this: NothingToSweep/),
      '2 --gold AMOUNT is missing (or KARAT_SWEEP_GOLD in the environment)\n',
      '2 --gold must be a positive amount with at most 6 decimals, not "much"\n',
      '2 karat treasury sweep-escrow has no option "--to": --help lists those that it has\n',
    ]);
    expect(await heldBy(escrowAuthority)).toBe(500_000n);
    expect(await heldBy(treasuryAuthority)).toBe(before + 2_500_000n);
    await deployment.node.setTokenBalance(escrowAuthority, goldMint, 0n);
  });
});

describe('compliance freeze and thaw', () => {
  const frozen = (account: Address) =>
    Buffer.from(deployment.node.getAccount(account)?.data ?? [])[108] === 2;

  test('compliance freeze freezes an account by its key alone, and the admin thaws it', async () => {
    const { goldMint } = ctx.chain.program.config();
    const { spare, admin } = deployment.keys;
    const owner = newWallet().address;
    await deployment.node.setTokenBalance(owner, goldMint, 1n);
    const account = tokenAccountOf(owner, goldOf({ goldMint }));
    const run = (command: string, ...args: string[]) =>
      callKarat(['compliance', command, '--reason', 'order 4711', ...args], deployment.env);
    const signed = ['--compliance-keypair', deployment.fileOf('spare')];
    const disabled = await run('freeze', '--owner', owner, ...signed);
    expect([disabled.code, disabled.stderr]).toEqual([
      1,
      'transition_not_allowed: The settings of the program do not allow accounts to be frozen.\n',
    ]);
    await giveSettings('--freeze-enabled', 'yes');
    const early = await run('freeze', '--owner', owner, ...signed);
    expect(early.stderr).toBe('transition_not_allowed: The program has no compliance key.\n');
    await onChain('replace-key', '--role', 'compliance', '--new', spare.address);
    const stranger = await run(
      'freeze',
      '--owner',
      owner,
      '--compliance-keypair',
      deployment.fileOf('admin'),
    );
    expect(stranger.stderr).toBe(`forbidden: Only ${spare.address} can do this, not ${admin.address}.\n`);
    const silent = await callKarat(['compliance', 'freeze', '--owner', owner], deployment.env);
    expect(silent.stderr).toBe('--reason TEXT is missing (or KARAT_REASON in the environment)\n');
    const left = JSON.parse((await run('freeze', '--owner', owner)).stdout);
    expect(left).toMatchObject({ account, owner, signers: [spare.address] });
    expect(frozen(account)).toBe(false);
    const made = await run('freeze', '--owner', owner, ...signed);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(JSON.parse(made.stdout)).toEqual({ account, owner, tx_hash: expect.any(String) });
    expect(frozen(account)).toBe(true);
    expect((await findAuditRowsAfter(ctx.db, 0, 1_000)).at(-1)).toMatchObject({
      action: 'account.freeze',
      objectId: account,
      reason: 'order 4711',
    });
    const thawed = await run('thaw', '--account', account, '--as-admin', 'yes');
    expect([thawed.code, thawed.stderr]).toEqual([0, '']);
    expect(JSON.parse(thawed.stdout)).toEqual({ account, tx_hash: expect.any(String) });
    expect(frozen(account)).toBe(false);
    const refused = [
      await run('thaw'),
      await run('thaw', '--account', account, '--as-admin', 'yes', ...signed),
      await run('freeze', '--owner', 'nobody'),
    ];
    expect(refused.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      '2 Give --account ADDRESS, or --owner ADDRESS\n',
      '2 --as-admin and --compliance-keypair name two who sign: give one\n',
      '2 --owner must be an address, not "nobody"\n',
    ]);
  });
});

describe('operators', () => {
  test(
    'an account is made with the password of standard input, a token is shown once, and it opens the API',
    patience,
    async () => {
      app = await buildOperatorApp(ctx);
      const created = await runInstalledKarat(create(...account), deployment.env, `${password}\n`);
      expect([created.code, created.stderr]).toEqual([0, '']);
      const operator = { email: 'sana@karat.test', name: 'Sana Malik', role: 'admin' };
      expect(JSON.parse(created.stdout)).toEqual({ operator_id: expect.any(String), ...operator });
      const made = await runKarat(
        ['operator', 'token', '--email', 'sana@karat.test'],
        deployment.env,
        password,
      );
      expect([made.code, made.stderr]).toEqual([0, '']);
      const { token, expires_at } = JSON.parse(made.stdout);
      expect(token).toMatch(/^karat_operator_[0-9a-f]{64}$/);
      const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
      expect(days).toBeLessThanOrEqual(90);
      expect(days).toBeGreaterThan(89);
      expect((await operatorOf(token).get('/operator/v1/me')).body).toMatchObject(operator);
      const session = { email: 'sana@karat.test', password };
      expect((await clientOf(app, {}).post('/operator/v1/session', session)).status).toBe(200);
      expect((await audited()).slice(-3, -1)).toEqual([
        ['operator.create', null, null],
        ['operator_token.create', null, null],
      ]);
      const kept = JSON.stringify(await findAuditRowsAfter(ctx.db, 0, 1_000));
      for (const secret of [token, password]) expect(kept).not.toContain(secret);
    },
  );

  test('an account that is disabled is shut at once', async () => {
    const email = 'temp@karat.test';
    const given = { KARAT_OPERATOR_EMAIL: email, KARAT_OPERATOR_NAME: 'Temp', KARAT_OPERATOR_ROLE: 'viewer' };
    const env = { ...asOwner(), ...given, KARAT_OPERATOR_PASSWORD: password };
    expect((await callKarat(create(), env)).code).toBe(0);
    const made = JSON.parse((await callKarat(['operator', 'token', '--days', '7'], env)).stdout);
    expect(Date.parse(made.expires_at)).toBeLessThanOrEqual(Date.now() + 7 * 86_400_000);
    expect(Date.parse(made.expires_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    const client = operatorOf(made.token);
    expect((await client.get('/operator/v1/me')).status).toBe(200);
    const run = await callKarat(['operator', 'disable', '--reason', 'left the company'], env);
    expect(JSON.parse(run.stdout)).toMatchObject({ email, status: 'disabled' });
    expect((await client.get('/operator/v1/me')).status).toBe(401);
    const rows = await findAuditRowsAfter(ctx.db, 0, 1_000);
    expect(rows.at(-1)).toMatchObject({
      action: 'operator.disable',
      reason: 'left the company',
      personId: null,
    });
    const refused = [
      await callKarat(['operator', 'disable'], env),
      await callKarat(['operator', 'token'], env),
    ];
    expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual([
      [1, 'transition_not_allowed: The operator is already disabled.\n'],
      [1, 'transition_not_allowed: The operator temp@karat.test is disabled.\n'],
    ]);
  });

  test('operators: impossible values are refused in one line that names the option, and nothing is written', async () => {
    const before = (await audited()).length;
    const env = asOwner();
    const with_ = (name: string, value: string) => {
      const args = [...account];
      args[args.indexOf(`--${name}`) + 1] = value;
      return callKarat(create(...args), env, password);
    };
    const runs = [
      await with_('email', 'nobody'),
      await with_('email', 'a@b\u0000c'),
      await with_('email', 'a\u001b[2J@b'),
      await with_('email', "x'; drop table operators; --@karat.test"),
      await with_('name', '   '),
      await with_('name', 'Sana\nMalik'),
      await with_('role', 'root'),
      await with_('role', 'constructor'),
      await callKarat(create(...account), env, 'too short'),
      await callKarat(create(...account), env, ''),
      await callKarat(create(...account), env, 'two\nlines of it'),
      await callKarat(create(...account), env, 'x'.repeat(20_000)),
      await callKarat(create(...account, '--password', password), env),
      await callKarat(
        create('--name', 'Sana', '--role', 'admin'),
        { ...env, KARAT_OPERATOR_EMAIL: 'nobody' },
        password,
      ),
      await with_('email', 'sana@karat.test'),
      await callKarat(['operator', 'token', '--email', 'none@karat.test'], env, password),
      await callKarat(['operator', 'token', '--email', 'sana@karat.test', '--name', ' '], env, password),
      await callKarat(['operator', 'token', '--email', 'sana@karat.test', '--days', '366'], env),
      await callKarat(
        ['operator', 'disable', '--email', 'sana@karat.test', '--reason', 'x'.repeat(1_001)],
        env,
      ),
    ];
    expect(runs.map(({ code, stdout, stderr }) => `${code}${stdout} ${stderr}`)).toEqual([
      '1 invalid_request: --email must be an address.\n',
      '2 --email contains characters that are not allowed\n',
      '1 invalid_request: --email must be an address.\n',
      '1 invalid_request: --email must be an address.\n',
      '1 invalid_request: --name must have 1 to 100 characters.\n',
      '1 invalid_request: --name must have 1 to 100 characters.\n',
      '2 --role must be one of viewer, fulfilment, compliance, admin, not "root"\n',
      '2 --role must be one of viewer, fulfilment, compliance, admin, not "constructor"\n',
      '1 invalid_request: password must have 12 to 1000 characters.\n',
      '2 The password is missing: standard input is empty (or set KARAT_OPERATOR_PASSWORD)\n',
      '2 Standard input has several lines, but a password is one line\n',
      '2 Standard input is too long for a password\n',
      '2 karat operator create has no option "--password": --help lists those that it has\n',
      '1 invalid_request: KARAT_OPERATOR_EMAIL must be an address.\n',
      '1 already_exists: The operator sana@karat.test already exists.\n',
      '1 not_found: There is no operator none@karat.test.\n',
      '1 invalid_request: --name must have 1 to 100 characters.\n',
      '2 --days must be a whole number from 1 to 365, not "366"\n',
      '2 --reason takes at most 1000 characters\n',
    ]);
    expect((await audited()).length).toBe(before);
  });

  test('operators: the database address alone gives no account', async () => {
    const before = await audited();
    const email = ['--email', 'sana@karat.test'];
    const other = ['--email', 'mallory@karat.test', '--name', 'Mallory', '--role', 'admin'];
    const attempts = (env: Env) => [
      () => callKarat(create(...other), env, password),
      () => callKarat(['operator', 'password', ...email], env, 'a password of mallory'),
      () => callKarat(['operator', 'role', ...email, '--role', 'viewer'], env),
      () => callKarat(['operator', 'enable', ...email], env),
    ];
    const refused = async (runs: (() => Promise<KaratRun>)[], stderr: string) => {
      for (const run of runs) expect(await run()).toEqual({ code: 1, stdout: '', stderr });
    };
    await refused(
      attempts(deployment.env),
      'Accounts already exist: on the command line, only the owner of the tables can open and recover accounts and change roles; set its address as KARAT_OWNER_DATABASE_URL\n',
    );
    const runtime = await givenRuntimeRole(deployment.env.DATABASE_URL ?? '');
    try {
      await refused(
        attempts({ ...deployment.env, DATABASE_URL: runtime.url, KARAT_OWNER_DATABASE_URL: runtime.url }),
        'The role of KARAT_OWNER_DATABASE_URL does not own the tables\n',
      );
      const token = (input: string) =>
        callKarat(['operator', 'token', ...email], { ...deployment.env, DATABASE_URL: runtime.url }, input);
      await refused([() => token('a password of mallory')], 'This is not the password of sana@karat.test\n');
      expect(await token('')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('password is missing'),
      });
      expect(await audited()).toEqual(before);
      expect(await token(password)).toMatchObject({ code: 0, stderr: '' });
    } finally {
      await runtime.drop();
    }
  });

  // The `script` of util-linux gives a terminal to a command; the one of macOS takes other arguments.
  test.runIf(process.platform === 'linux')(
    'operators: a password at a terminal is prompted twice and not shown',
    patience,
    async () => {
      const typed = 'a password of the terminal';
      const ask = async (email: string, ...responses: string[]) => {
        const args = [...karatArguments, ...create('--email', email, '--name', 'T', '--role', 'viewer')];
        const command = [process.execPath, ...args].map((word) => `'${word}'`).join(' ');
        const child = spawn('script', ['-qec', command, '/dev/null'], {
          env: { PATH: process.env.PATH, ...asOwner() },
        });
        let shown = '';
        let requested = 0;
        child.stdout.on('data', (chunk) => {
          shown += chunk;
          // A terminal that hears a response before the question would show it.
          while (
            requested < responses.length &&
            shown.split(/Password: |Once more: /).length - 1 > requested
          ) {
            child.stdin.write(`${responses[requested]}\r`);
            requested += 1;
          }
        });
        const [code] = await once(child, 'close');
        // Without the line of progress, which is there while nothing is asked.
        return {
          code,
          shown: stripVTControlCharacters(shown).replace(/ {2}karat operator create … [\d.]+ s?/g, ''),
        };
      };
      const [good, differing] = await Promise.all([
        ask('terminal@karat.test', typed, `${typed}x\u007f`),
        ask('differing@karat.test', typed, 'another password'),
      ]);
      expect([good.code, good.shown]).toEqual([0, expect.stringContaining('"email":"terminal@karat.test"')]);
      expect(good.shown).toMatch(/^Password: \r\nOnce more: \r\n\{/);
      expect([differing.code, differing.shown]).toEqual([
        1,
        'Password: \r\nOnce more: \r\nThe two passwords differ. Nothing was done.\r\n',
      ]);
      const session = { email: 'terminal@karat.test', password: typed };
      expect((await clientOf(app, {}).post('/operator/v1/session', session)).status).toBe(200);
    },
  );
});

describe('partner create', () => {
  const partner = (name: string, fee: string, ...more: string[]) => [
    'partner',
    'create',
    '--name',
    name,
    '--fee-percentage',
    fee,
    ...more,
  ];

  test('partner create takes a partner on as the API does', async () => {
    const wallet = newWallet().address;
    const run = await callKarat(
      partner('Meridian Bullion', '0.0125', '--wallet-address', wallet),
      deployment.env,
    );
    expect([run.code, run.stderr]).toEqual([0, '']);
    const made = JSON.parse(run.stdout);
    expect((await audited()).at(-1)).toEqual(['partner.create', null, null]);
    const admin = await operatorWithToken();
    expect((await admin.get(`/operator/v1/partners/${made.partner_id}`)).body).toMatchObject({
      name: 'Meridian Bullion',
      status: 'active',
      fee_percentage: 0.0125,
      wallets: [{ wallet_address: wallet, status: 'active' }],
    });
    const taken = await callKarat(partner('Other', '0', '--wallet-address', wallet), deployment.env);
    expect([taken.code, taken.stderr]).toEqual([
      1,
      `wallet_already_registered: --wallet-address: This wallet already belongs to partner ${made.partner_id}.\n`,
    ]);
  });

  test('partner create registers a wallet as the owner of the tables alone', async () => {
    const runtime = await givenRuntimeRole(deployment.env.DATABASE_URL ?? '');
    const env = { ...deployment.env, DATABASE_URL: runtime.url };
    // The person who runs a command chooses its settings.
    const alone = { ...env, KARAT_APPROVALS: '1' };
    const withWallet = partner('Mallory', '0.01', '--wallet-address', newWallet().address);
    try {
      const before = await audited();
      const refused = [
        await callKarat(withWallet, env),
        await callKarat(withWallet, alone),
        await callKarat(withWallet, { ...alone, KARAT_OWNER_DATABASE_URL: runtime.url }),
      ];
      const owners =
        'Leave out --wallet-address and add the wallet through the operator API: on the command line, only the owner of the tables can register one; set its address as KARAT_OWNER_DATABASE_URL\n';
      expect(refused.map(({ code, stdout, stderr }) => `${code}${stdout} ${stderr}`)).toEqual([
        `1 ${owners}`,
        `1 ${owners}`,
        '1 The role of KARAT_OWNER_DATABASE_URL does not own the tables\n',
      ]);
      expect(await audited()).toEqual(before);
      expect(await callKarat(partner('Alone', '0.01'), env)).toMatchObject({ code: 0, stderr: '' });
      const owned = await callKarat(withWallet, {
        ...env,
        KARAT_OWNER_DATABASE_URL: deployment.env.DATABASE_URL ?? '',
      });
      expect([owned.code, owned.stderr, JSON.parse(owned.stdout).wallets]).toEqual([
        0,
        '',
        [withWallet.at(-1)],
      ]);
    } finally {
      await runtime.drop();
    }
  });

  test('partner create refuses impossible values', async () => {
    const { env, keys } = deployment;
    const runs = [
      await callKarat(partner('', '0.1'), env),
      await callKarat(partner(' \t ', '0.1'), env),
      await callKarat(partner('a\u0000b', '0.1'), env),
      await callKarat(partner('x'.repeat(256), '0.1'), env),
      await callKarat(partner('A', '1e-3'), env),
      await callKarat(partner('A', '-1'), env),
      await callKarat(partner('A', 'Infinity'), env),
      await callKarat(partner('A', '0.500001'), env),
      await callKarat(partner('A', '0.0000001'), env),
      await callKarat(partner('A', '0', '--wallet-address', 'none'), env),
      await callKarat(partner('A', '0', '--wallet-address', keys.service.address), env),
      await callKarat(partner('A', '0', '--wallet-address', keys.guardian.address), env),
    ];
    const badName = '2 --name must have 1 to 255 printable characters\n';
    const badFee = 'invalid_request: --fee-percentage must be from 0 to 0.5, with at most 6 decimals.\n';
    const ofDeployment =
      '1 invalid_wallet: --wallet-address is a key of the service, which cannot be a partner.\n';
    expect(runs.map(({ code, stdout, stderr }) => `${code}${stdout} ${stderr}`)).toEqual([
      badName,
      badName,
      badName,
      badName,
      '2 --fee-percentage must be a fraction such as 0.015, not "1e-3"\n',
      '2 --fee-percentage must be a fraction such as 0.015, not "-1"\n',
      '2 --fee-percentage must be a fraction such as 0.015, not "Infinity"\n',
      `1 ${badFee}`,
      `1 ${badFee}`,
      expect.stringMatching(/^1 invalid_wallet: --wallet-address is not a valid public key: /),
      ofDeployment,
      ofDeployment,
    ]);
  });
});

describe('pausing', () => {
  const status = async () => JSON.parse((await callKarat(['chain', 'status'], deployment.env)).stdout);

  test('pause and resume change what they name, on chain and in the audit log', async () => {
    const nothing = {
      trade: false,
      partner: false,
      withdraw: false,
      redeem: false,
      settle: false,
      treasury: false,
    };
    // The treasury is not paused when the program is initialized.
    const everything = { ...nothing, trade: true, partner: true, withdraw: true, redeem: true, settle: true };
    // As it was initialized.
    expect(await status()).toEqual({ paused: everything, market: 'closed', market_override: null });
    expect((await callKarat(['chain', 'resume'], deployment.env)).code).toBe(0);
    const run = await callKarat(['chain', 'pause', '--only', 'trade,withdraw'], deployment.env);
    expect([run.code, run.stderr]).toEqual([0, '']);
    const paused = { ...nothing, trade: true, withdraw: true };
    expect(JSON.parse(run.stdout)).toMatchObject({ paused, tx_hash: expect.any(String) });
    expect((await status()).paused).toEqual(paused);
    const resumed = await callKarat(['chain', 'resume', '--only', 'withdraw'], deployment.env);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ paused: { ...nothing, trade: true } });
    expect((await callKarat(['chain', 'resume'], deployment.env)).code).toBe(0);
    expect((await status()).paused).toEqual(nothing);
    const before = await audited();
    expect(before.slice(-3)).toEqual(Array(3).fill(['chain.status', null, null]));
    // What is so already is not sent.
    expect(JSON.parse((await callKarat(['chain', 'resume'], deployment.env)).stdout).tx_hash).toBeNull();
  });

  test('pause and resume both record the reason in the audit log', async () => {
    const why = async (...args: string[]) => {
      expect(await callKarat(['chain', ...args], deployment.env)).toMatchObject({ code: 0, stderr: '' });
      return (await findAuditRowsAfter(ctx.db, 0, 1_000)).at(-1);
    };
    const action = 'chain.status';
    expect(await why('pause', '--reason', 'a feed gone mad')).toMatchObject({
      action,
      reason: 'a feed gone mad',
    });
    expect(await why('resume', '--reason', 'it is well')).toMatchObject({ action, reason: 'it is well' });
    expect(await why('resume')).toMatchObject({ action, reason: null });
    expect(await callKarat(['chain', 'pause', '--reason', 'x'.repeat(1_001)], deployment.env)).toMatchObject({
      code: 2,
      stderr: '--reason takes at most 1000 characters\n',
    });
    expect((await status()).paused.trade).toBe(false);
  });

  test('pause and resume change nothing for unknown names, or in a process without the key', async () => {
    const { KARAT_GUARDIAN_SIGNER: _guardian, ...env } = deployment.env;
    const withoutGuardian = { ...env, KARAT_ADMIN_SIGNER: '', KARAT_OPERATIONS_SIGNER: '' };
    const runs = [
      await callKarat(['chain', 'pause', '--only', 'everything'], deployment.env),
      await callKarat(['chain', 'pause', '--only', 'trade,trade'], deployment.env),
      await callKarat(['chain', 'pause', '--only', ''], deployment.env),
      await callKarat(['chain', 'pause'], withoutGuardian),
      await callKarat(['chain', 'pause'], {
        ...withoutGuardian,
        KARAT_GUARDIAN_SIGNER: deployment.fileOf('spare'),
      }),
    ];
    const flags = 'takes one or more of trade,partner,withdraw,redeem,settle,treasury, each once, not';
    expect(runs.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
      `2 --only ${flags} "everything"\n`,
      `2 --only ${flags} "trade,trade"\n`,
      `2 --only ${flags} ""\n`,
      '1 service_unavailable: This process does not hold the guardian key.\n',
      "1 service_unavailable: The guardian key of this process is not the program's guardian.\n",
    ]);
  });
});

test('the audit log of the command line is whole', async () => {
  const rows = (await audited()).length;
  expect(await verifyAuditLog(ctx.db)).toMatchObject({ ok: true, rows });
  const verify = (...args: string[]) => callKarat(['audit', 'verify', ...args], deployment.env);
  expect(rows).toBeGreaterThan(0);
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('knows of none that') });
  expect(await verify('--signed-by', 'nobody')).toMatchObject({
    code: 2,
    stderr: '--signed-by must be an address, not "nobody"\n',
  });
});

test('an entry that is not the one on chain is named', async () => {
  const { KARAT_MARKET_SIGNER: marketSignerUrl } = deployment.env;
  const config = { ...ctx.config, marketSignerUrl };
  const keeping = await createContext(config, { log: createLogger('silent') });
  const head = await anchorAuditLog(keeping, undefined, AbortSignal.timeout(30_000));
  await keeping.close();
  const verify = () => callKarat(['audit', 'verify'], deployment.env);
  const { stdout } = await verify();
  expect(JSON.parse(stdout)).toMatchObject({ anchors: 1, newest_anchor: { seq: head?.seq } });
  await ctx.db.execute(sql`alter table audit_log disable trigger all`);
  await ctx.db.execute(sql`update audit_log set reason = 'better' where seq = 1`);
  expect(await verify()).toMatchObject({
    code: 1,
    stderr: 'Entry 1 of the audit log is not as it was written\n',
  });
  await ctx.db.execute(sql`delete from audit_log`);
  await ctx.db.execute(sql`update audit_head set seq = 0, hash = decode(repeat('00', 32), 'hex')`);
  expect(await verify()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(`^Entry ${head?.seq} of the audit log is not the one that \\w+ keeps on chain`),
    ),
  });
});

/** A client of the first operator with a new token. */
async function operatorWithToken(): Promise<Client> {
  const made = await callKarat(['operator', 'token', '--email', 'sana@karat.test'], deployment.env, password);
  return operatorOf(JSON.parse(made.stdout).token);
}
