import { loadSigner } from '@karat/signer';
import { type Address, isAddress } from '@solana/kit';
import type { AdminAct } from '../actions/approvals/act-as-admin.js';
import { carryOut } from '../actions/approvals/carry-out.js';
import type { Outcome as OperationOutcome } from '../actions/approvals/plan.js';
import { type PauseFlags, readChainStatus } from '../actions/market/build-chain-status.js';
import { statusPlanOf } from '../actions/market/plan-chain-status.js';
import { rotatedAccounts } from '../actions/market/update-config.js';
import {
  type ChainSettings,
  changeChainConfig,
  readChainConfig,
  toSettingsView,
} from '../actions/program/change-chain-config.js';
import { acceptAdmin, proposeAdmin, readAdmins } from '../actions/program/hand-over-admin.js';
import { initChain } from '../actions/program/init-chain.js';
import { type ProgramSettings, pythGold, usdcMintOf } from '../chain/admin/seed.js';
import { noKey } from '../chain/program/wallet.js';
import { type Signer, SignerError } from '../chain/sign/signer.js';
import { checkConfig } from '../config.js';
import { commandLine } from '../domain/audit.js';
import { toInteger } from '../domain/integer.js';
import { tokenDecimals } from '../domain/money.js';
import { type ChainStatus, type PauseName, pauseNames } from '../domain/program-status.js';
import { asWalletAddress } from '../domain/solana.js';
import { type Call, CommandError, done, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';
import { mustBe, readAmount, readReason } from './texts.js';
import { withContext } from './with-database.js';

/** `chain status` */
export async function status(call: Call): Promise<Outcome> {
  return done(toView(await withContext(call, readChainStatus)));
}

/** `chain pause` */
export const pause = (call: Call): Promise<Outcome> => set(call, true);

/** `chain resume` */
export const resume = (call: Call): Promise<Outcome> => set(call, false);

async function set(call: Call, to: boolean): Promise<Outcome> {
  const paused: PauseFlags = {};
  for (const flag of readFlags(call)) paused[flag] = to;
  const reason = readReason(call);
  const outcome = await withContext(call, (ctx) =>
    carryOut(ctx, commandLine, statusPlanOf(ctx, { paused, reason })),
  );
  if (outcome.kind === 'done' && outcome.status) {
    return done({ ...toView(outcome.status), tx_hash: outcome.txHash });
  }
  if (outcome.kind === 'changed' && 'status' in outcome.changed) {
    return done({ ...toView(outcome.changed.status), tx_hash: null });
  }
  return done(toUnsigned(outcome));
}

/** Returns what is handed out for others to sign. */
export function toUnsigned(outcome: OperationOutcome): Record<string, unknown> {
  if (outcome.kind !== 'unsigned') throw new Error(`${outcome.kind} is not for others to sign`);
  const { transaction, signers, expiresAt } = outcome;
  return {
    tx_hash: null,
    transaction: Buffer.from(transaction).toString('base64'),
    signers,
    expires_at: expiresAt.toISOString(),
  };
}

/** Returns how a change of the configuration is shown: by its signature, or with what is to be signed. */
export function toChange(change: AdminAct | undefined): Record<string, unknown> {
  return change?.kind === 'unsigned' ? toUnsigned(change) : { tx_hash: change?.txHash ?? null };
}

function readFlags(call: Call): PauseName[] {
  const names = call.get('only').split(',');
  const known = pauseNames.filter((flag) => names.includes(flag));
  if (known.length === names.length) return known;
  throw new UsageError(
    `${call.sourceOf('only')} takes one or more of ${pauseNames.join(',')}, each once, not ${quoted(call.get('only'))}`,
  );
}

function toView({ paused, market, override }: ChainStatus) {
  const until = override?.untilMs === undefined ? null : new Date(override.untilMs).toISOString();
  return { paused, market, market_override: override ? { market: override.market, until } : null };
}

/** `chain init` */
export async function init(call: Call): Promise<Outcome> {
  const settings = await readSettings(call);
  const usdcMint = readUsdcMint(call);
  const goldMint = readMint(call, 'gold-mint');
  const guardian = readIfGiven(call, 'guardian', readWallet);
  const named = readIfGiven(call, 'admin', readAddress);
  const upgradeAuthority = readKeyFile(call, 'upgrade-authority-keypair');
  return done(
    await withContext(call, async (ctx) => {
      const { admin, operations, market } = ctx.chain;
      const signer = upgradeAuthority ?? admin;
      const adminAddress = named ?? admin?.address;
      if (!signer || !adminAddress) {
        throw new CommandError(
          'KARAT_ADMIN_SIGNER is not set: give --admin ADDRESS and --upgrade-authority-keypair FILE instead',
        );
      }
      if (!ctx.chain.hasSigner) {
        throw new CommandError('KARAT_SERVICE_SIGNER is not set: its key becomes the first service signer');
      }
      const guardianKey = guardian ?? ctx.chain.guardian?.address;
      if (!guardianKey) throw new UsageError('--guardian ADDRESS is missing (or KARAT_GUARDIAN_SIGNER)');
      const initialized = await initChain(ctx, commandLine, {
        upgradeAuthority: signer,
        payer: admin ?? signer,
        admin: adminAddress,
        guardian: guardianKey,
        usdcMint,
        goldMint,
        settings: {
          ...settings,
          operations: readIfGiven(call, 'operations', readRole) ?? operations?.address ?? noKey,
          market: readIfGiven(call, 'market', readRole) ?? market?.address ?? noKey,
        },
      });
      return {
        ...toSnakeCase(initialized),
        paused: true,
        next_step: 'Everything is paused: run karat chain resume, signed by the admin, to start trading.',
      };
    }),
  );
}

async function readSettings(call: Call): Promise<Omit<ProgramSettings, 'operations' | 'market'>> {
  const standard = await pythGold();
  return {
    ...standard,
    ...readAll(call, programReaders),
    priceAccount: readIfGiven(call, 'price-account', readAddress) ?? standard.priceAccount,
    recoveryDelay: readRecoveryDelay(call, 'recovery-delay'),
  };
}

/** Reads the mint of USDC; by default that of the network which KARAT_NETWORK names. */
function readUsdcMint(call: Call): Address | 'new' {
  const { network } = checkConfig(call.env).values;
  const known = network && usdcMintOf(network);
  if (call.find('usdc-mint') === undefined) {
    if (known) return known;
    throw new UsageError(
      '--usdc-mint ADDRESS is missing (or KARAT_INIT_USDC_MINT in the environment); KARAT_NETWORK gives it on mainnet-beta and devnet',
    );
  }
  const mint = readMint(call, 'usdc-mint');
  if (network !== 'mainnet-beta' || mint === known) return mint;
  throw mustBe(call, 'usdc-mint', `${known}, the mint of USDC on mainnet-beta`);
}

function readMint(call: Call, name: string): Address | 'new' {
  return call.get(name) === 'new' ? 'new' : readAddress(call, name);
}

export function readAddress(call: Call, name: string): Address {
  const text = call.get(name);
  if (isAddress(text)) return text;
  throw mustBe(call, name, 'an address');
}

/** `chain admin` */
export async function admin(call: Call): Promise<Outcome> {
  const newAdmin = readIfGiven(call, 'propose', readRole);
  const accepts = call.find('accept') === 'yes';
  if (accepts && newAdmin !== undefined) {
    throw new UsageError('--propose and --accept are signed by different admins: run one after the other');
  }
  const [feePayer, reason] = [readFeePayer(call), readReason(call)];
  return done(
    await withContext(call, async (ctx) => {
      const act = accepts
        ? await acceptAdmin(ctx, commandLine, { feePayer, reason })
        : newAdmin && (await proposeAdmin(ctx, commandLine, { newAdmin, feePayer, reason }));
      return { ...toSnakeCase(await readAdmins(ctx)), ...toChange(act) };
    }),
  );
}

/** `chain config` */
export async function config(call: Call): Promise<Outcome> {
  const changes: Partial<ChainSettings> = readGiven(call, {
    ...programReaders,
    guardian: ['guardian', readWallet],
    feeUsdc: ['fee-account', readAddress],
    treasuryUsdc: ['treasury-usdc-account', readAddress],
    treasuryGold: ['treasury-gold-account', readAddress],
    priceAccount: ['price-account', readAddress],
    priceOwner: ['price-owner', readAddress],
    feedId: ['feed-id', readFeedId],
    operations: ['operations', readRole],
    market: ['market', readRole],
    recoveryDelay: ['recovery-delay', readDelay],
  });
  const rotated = Object.keys(changes).filter((name) => rotatedAccounts.some((account) => account === name));
  if (rotated.length > 0 && rotated.length < Object.keys(changes).length) {
    throw new UsageError(
      'Accounts of the treasury and of the fees cannot be changed together with other settings: change the rest in a second call',
    );
  }
  const reason = readReason(call);
  const feePayer = readFeePayer(call);
  const { settings, change } = await withContext(call, (ctx) =>
    Object.keys(changes).length === 0
      ? readChainConfig(ctx)
      : changeChainConfig(ctx, commandLine, { changes, feePayer, reason }),
  );
  return done({ ...toSettingsView(settings), ...toChange(change) });
}

/** Returns the payer of the admin's transaction, if the call names one. */
export function readFeePayer(call: Call): Address | undefined {
  return readIfGiven(call, 'fee-payer', readWallet);
}

function readFeedId(call: Call, name: string): Uint8Array {
  const text = call.get(name).replace(/^0x/, '');
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  throw mustBe(call, name, '64 hexadecimal digits');
}

/** Reads the address of a key: one that can sign. */
export function readWallet(call: Call, name: string): Address {
  const text = call.get(name);
  const wallet = asWalletAddress(text);
  if (wallet && wallet !== noKey) return wallet;
  throw mustBe(call, name, 'the address of a key');
}

/** Reads the key of a file, if the call names one. Its path may be shown, what is in it never. */
export function readKeyFile(call: Call, name: string): Signer | undefined {
  const path = call.find(name);
  if (path === undefined) return undefined;
  try {
    return loadSigner(path);
  } catch (error) {
    if (!(error instanceof SignerError)) throw error;
    throw new UsageError(`${call.sourceOf(name)}: ${quoted(path)} ${error.message}`);
  }
}

const countTo =
  (most: number): Read<number> =>
  (call, name) => {
    const text = call.get(name);
    if (/^\d{1,9}$/.test(text) && toInteger(text) <= most) return toInteger(text);
    throw mustBe(call, name, `a whole number from 0 to ${most}`);
  };

const readPrice: Read<bigint> = (call, name) => readAmount(call, name, 8);
const readUsdc: Read<bigint> = (call, name) => readAmount(call, name, tokenDecimals);
/** 0 for no limit. */
const readLimit: Read<bigint> = (call, name) => readAmount(call, name, tokenDecimals, { orNothing: true });
const day = 86_400;
const readDelay = countTo(30 * day);

/** Requires at least a day, in which a partner can cancel what the admin proposed, unless the caller overrides it. */
function readRecoveryDelay(call: Call, name: string): number {
  const delay = readDelay(call, name);
  if (delay >= day || call.find('allow-short-recovery') === 'yes') return delay;
  throw new UsageError(
    `${call.sourceOf(name)} must be at least ${day} seconds, unless --allow-short-recovery yes is given`,
  );
}

/** Parses the address of a role, which may be a program's account; `none` for an empty role. */
function readRole(call: Call, name: string): Address {
  return call.get(name) === 'none' ? noKey : readAddress(call, name);
}

/** Reads up to four addresses, separated by commas; `none` for an empty list. */
function readOwners(call: Call, name: string): Address[] {
  const text = call.get(name);
  const owners = text === 'none' ? [] : text.split(',');
  if (
    owners.length > 4 ||
    new Set(owners).size < owners.length ||
    !owners.every((owner) => isAddress(owner))
  ) {
    throw mustBe(call, name, 'one to four different addresses with commas, or none');
  }
  return [...owners, ...Array<Address>(4 - owners.length).fill(noKey)];
}

type Read<T> = (call: Call, name: string) => T;
/** By which option each setting is given, and how that is read. */
type Readers<Settings> = { [Name in keyof Settings]: [option: string, read: Read<Settings[Name]>] };

/** Settings of `chain config` that `chain init` reads in the same way, and has defaults for: up to the program's own ceilings. */
const programReaders: Readers<
  Omit<ProgramSettings, 'priceAccount' | 'priceOwner' | 'feedId' | 'operations' | 'market' | 'recoveryDelay'>
> = {
  minPriceE8: ['min-price', readPrice],
  maxPriceE8: ['max-price', readPrice],
  maxTradeUsdc: ['max-trade', readUsdc],
  maxAgeOpen: ['max-age-open', countTo(300)],
  maxAgeClosed: ['max-age-closed', countTo(604_800)],
  maxConfBps: ['max-confidence-bps', countTo(500)],
  maxFeeBps: ['max-fee-bps', countTo(1_000)],
  attestor: ['attestor', readRole],
  withdrawOwners: ['withdraw-owners', readOwners],
  maxAttestationAge: ['max-attestation-age', countTo(366 * day)],
  dailyOutflowUsdc: ['daily-outflow-usdc', readLimit],
  dailyOutflowGold: ['daily-outflow-gold', readLimit],
};

function readAll<Settings>(call: Call, readers: Readers<Settings>): Settings {
  const entries = Object.entries<[string, Read<unknown>]>(readers);
  return Object.fromEntries(
    entries.map(([setting, [name, read]]) => [setting, read(call, name)]),
  ) as Settings;
}

/** Reads the settings that the call names. */
function readGiven<Settings>(call: Call, readers: Readers<Settings>): Partial<Settings> {
  const entries = Object.entries<[string, Read<unknown>]>(readers);
  const given = entries.filter(([, [name]]) => call.find(name) !== undefined);
  return readAll(call, Object.fromEntries(given) as Readers<Partial<Settings>>);
}

export function readIfGiven<T>(call: Call, name: string, read: Read<T>): T | undefined {
  return call.find(name) === undefined ? undefined : read(call, name);
}

export function toSnakeCase(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
