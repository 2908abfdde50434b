import { type Address, isAddress } from '@solana/kit';
import type { AdminAct } from '../actions/act-as-admin.js';
import {
  type ChainSettings,
  changeChainConfig,
  readChainConfig,
  toSettingsView,
} from '../actions/change-chain-config.js';
import { acceptAdmin, proposeAdmin, readAdmins } from '../actions/hand-over-admin.js';
import { initChain } from '../actions/init-chain.js';
import { noDecision } from '../actions/plan-operation.js';
import {
  type ChainStatus,
  type PauseFlags,
  readChainStatus,
  setChainStatus,
} from '../actions/set-chain-status.js';
import { type ProgramSettings, pythGold } from '../chain/seed.js';
import { KeyFileError, loadSigner, type Signer } from '../chain/signer.js';
import { asWalletAddress, noKey } from '../chain/wallet.js';
import { commandLine } from '../domain/audit.js';
import { parseDecimal, tokenDecimals } from '../domain/money.js';
import { type PauseName, pauseNames } from '../domain/program-status.js';
import { type Call, CommandError, done, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';
import { readReason } from './texts.js';
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
    setChainStatus(ctx, commandLine, { paused, reason }, { decision: noDecision }),
  );
  if (outcome.kind === 'done' && outcome.status) {
    return done({ ...toView(outcome.status), tx_hash: outcome.txHash });
  }
  if (outcome.kind === 'changed' && 'status' in outcome.changed) {
    return done({ ...toView(outcome.changed.status), tx_hash: null });
  }
  return done(toUnsigned(outcome));
}

/** What is handed out for others to sign. */
export function toUnsigned(outcome: { kind: string }): Record<string, unknown> {
  if (outcome.kind !== 'unsigned') throw new Error(`${outcome.kind} is not for others to sign`);
  const { transaction, signers, expiresAt } = outcome as Extract<AdminAct, { kind: 'unsigned' }>;
  return {
    tx_hash: null,
    transaction: Buffer.from(transaction).toString('base64'),
    signers,
    expires_at: expiresAt.toISOString(),
  };
}

/** How a change of the configuration is shown: by its signature, or with what is to be signed. */
export function toChange(change: AdminAct | undefined): Record<string, unknown> {
  return change?.kind === 'unsigned' ? toUnsigned(change) : { tx_hash: change?.txHash ?? null };
}

function readFlags(call: Call): PauseName[] {
  const names = call.get('only').split(',');
  const known = pauseNames.filter((flag) => names.includes(flag));
  if (known.length === names.length) return known;
  throw new UsageError(
    `${call.sourceOf('only')} takes some of ${pauseNames.join(',')}, each once, not ${quoted(call.get('only'))}`,
  );
}

function toView({ paused, market, override }: ChainStatus) {
  const until = override?.untilMs === undefined ? null : new Date(override.untilMs).toISOString();
  return { paused, market, market_override: override ? { market: override.market, until } : null };
}

/** `chain init` */
export async function init(call: Call): Promise<Outcome> {
  const settings = await readSettings(call);
  const usdcMint = readMint(call, 'usdc-mint');
  const goldMint = readMint(call, 'gold-mint');
  const feeOwner = readAddress(call, 'fee-owner');
  const guardian = call.find('guardian') === undefined ? undefined : readWallet(call, 'guardian');
  const named = call.find('admin') === undefined ? undefined : readAddress(call, 'admin');
  const upgradeFile = call.find('upgrade-authority-keypair');
  const upgradeAuthority = upgradeFile === undefined ? undefined : readKeyFile(call, upgradeFile);
  return done(
    await withContext(call, async (ctx) => {
      const { admin, operations, market } = ctx.chain;
      const signer = upgradeAuthority ?? admin;
      const adminAddress = named ?? admin?.address;
      if (!signer || !adminAddress) {
        throw new CommandError(
          'KARAT_ADMIN_KEYPAIR is not set: name --admin ADDRESS and --upgrade-authority-keypair FILE instead',
        );
      }
      if (!ctx.chain.hasSigner) {
        throw new CommandError('KARAT_SERVICE_KEYPAIR is not set: its key becomes the first service signer');
      }
      const watchman = guardian ?? ctx.chain.guardian?.address;
      if (!watchman) throw new UsageError('--guardian ADDRESS is missing (or KARAT_GUARDIAN_KEYPAIR)');
      const initialized = await initChain(ctx, commandLine, {
        upgradeAuthority: signer,
        payer: admin ?? signer,
        admin: adminAddress,
        guardian: watchman,
        feeOwner,
        usdcMint,
        goldMint,
        settings: {
          ...settings,
          operations:
            call.find('operations') === undefined ? (operations?.address ?? noKey) : settings.operations,
          market: call.find('market') === undefined ? (market?.address ?? noKey) : settings.market,
        },
      });
      return {
        ...toSnakeCase(initialized),
        paused: true,
        next_step: 'Everything is paused: karat chain resume, signed by the admin, lets trades begin.',
      };
    }),
  );
}

async function readSettings(call: Call): Promise<ProgramSettings> {
  const standard = await pythGold();
  return {
    ...standard,
    priceAccount:
      call.find('price-account') === undefined ? standard.priceAccount : readAddress(call, 'price-account'),
    minPriceE8: readPrice(call, 'min-price'),
    maxPriceE8: readPrice(call, 'max-price'),
    maxTradeUsdc: readUsdc(call, 'max-trade'),
    maxAgeOpen: readAgeOpen(call, 'max-age-open'),
    maxAgeClosed: readAgeClosed(call, 'max-age-closed'),
    maxConfBps: readConfidence(call, 'max-confidence-bps'),
    maxFeeBps: readFee(call, 'max-fee-bps'),
    operations: call.find('operations') === undefined ? noKey : readRole(call, 'operations'),
    market: call.find('market') === undefined ? noKey : readRole(call, 'market'),
    attestor: readRole(call, 'attestor'),
    withdrawOwners: readOwners(call, 'withdraw-owners'),
    recoveryDelay: readRecoveryDelay(call, 'recovery-delay'),
    maxAttestationAge: readAttestationAge(call, 'max-attestation-age'),
    dailyOutflowUsdc: readLimit(call, 'daily-outflow-usdc'),
    dailyOutflowGold: readLimit(call, 'daily-outflow-gold'),
  };
}

function readMint(call: Call, name: string): Address | 'new' {
  return call.get(name) === 'new' ? 'new' : readAddress(call, name);
}

export function readAddress(call: Call, name: string): Address {
  const text = call.get(name);
  if (isAddress(text)) return text;
  throw new UsageError(`${call.sourceOf(name)} must be an address, not ${quoted(text)}`);
}

/** `chain admin` */
export async function admin(call: Call): Promise<Outcome> {
  const newAdmin = call.find('propose') === undefined ? undefined : readRole(call, 'propose');
  const accepts = call.find('accept') === 'yes';
  if (accepts && newAdmin !== undefined) {
    throw new UsageError('--propose and --accept are of two different admins: make one after the other');
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
  const changes = readChanges(call);
  if ('feeUsdc' in changes && Object.keys(changes).length > 1) {
    throw new UsageError('--fee-account is a change by itself: make the others after it');
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

/** The settings that the call names. */
function readChanges(call: Call): Partial<ChainSettings> {
  const readers: {
    [setting in keyof ChainSettings]: [string, (call: Call, name: string) => ChainSettings[setting]];
  } = {
    guardian: ['guardian', readWallet],
    feeUsdc: ['fee-account', readAddress],
    priceAccount: ['price-account', readAddress],
    priceOwner: ['price-owner', readAddress],
    feedId: ['feed-id', readFeedId],
    minPriceE8: ['min-price', readPrice],
    maxPriceE8: ['max-price', readPrice],
    maxTradeUsdc: ['max-trade', readUsdc],
    maxAgeOpen: ['max-age-open', readAgeOpen],
    maxAgeClosed: ['max-age-closed', readAgeClosed],
    maxConfBps: ['max-confidence-bps', readConfidence],
    maxFeeBps: ['max-fee-bps', readFee],
    operations: ['operations', readRole],
    market: ['market', readRole],
    attestor: ['attestor', readRole],
    withdrawOwners: ['withdraw-owners', readOwners],
    recoveryDelay: ['recovery-delay', readDelay],
    maxAttestationAge: ['max-attestation-age', readAttestationAge],
    dailyOutflowUsdc: ['daily-outflow-usdc', readLimit],
    dailyOutflowGold: ['daily-outflow-gold', readLimit],
  };
  return Object.fromEntries(
    Object.entries(readers).flatMap(([setting, [name, read]]) =>
      call.find(name) === undefined ? [] : [[setting, read(call, name)]],
    ),
  );
}

/** Who pays for the admin's transaction, if the call says so. */
export function readFeePayer(call: Call): Address | undefined {
  return call.find('fee-payer') === undefined ? undefined : readWallet(call, 'fee-payer');
}

function readFeedId(call: Call, name: string): Uint8Array {
  const text = call.get(name).replace(/^0x/, '');
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  throw new UsageError(`${call.sourceOf(name)} must be 64 hexadecimal digits, not ${quoted(text)}`);
}

/** The address of a key: one that can sign. */
function readWallet(call: Call, name: string): Address {
  const text = call.get(name);
  const wallet = asWalletAddress(text);
  if (wallet) return wallet;
  throw new UsageError(`${call.sourceOf(name)} must be the address of a key, not ${quoted(text)}`);
}

/** The key of a file. Its path may be shown, what is in it never. */
function readKeyFile(call: Call, path: string): Signer {
  try {
    return loadSigner(path);
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new UsageError(`${call.sourceOf('upgrade-authority-keypair')}: ${quoted(path)} ${error.message}`);
  }
}

/** A positive amount in its smallest unit, as far as a u64 reaches. */
function readAmount(call: Call, name: string, decimals: number): bigint {
  const text = call.get(name);
  const amount = text.length > 30 ? undefined : parseDecimal(text, decimals);
  if (amount !== undefined && amount > 0n && amount < 2n ** 64n) return amount;
  throw new UsageError(
    `${call.sourceOf(name)} must be a positive amount with at most ${decimals} decimals, not ${quoted(text)}`,
  );
}

function readCount(call: Call, name: string, most: number): number {
  const text = call.get(name);
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(
    `${call.sourceOf(name)} must be a whole number from 0 to ${most}, not ${quoted(text)}`,
  );
}

const readPrice = (call: Call, name: string) => readAmount(call, name, 8);
const readUsdc = (call: Call, name: string) => readAmount(call, name, tokenDecimals);
const day = 86_400;

// The program's own ceilings.
const readAgeOpen = (call: Call, name: string) => readCount(call, name, 300);
const readAgeClosed = (call: Call, name: string) => readCount(call, name, 604_800);
const readConfidence = (call: Call, name: string) => readCount(call, name, 500);
const readFee = (call: Call, name: string) => readCount(call, name, 1_000);
const readDelay = (call: Call, name: string) => readCount(call, name, 30 * day);
const readAttestationAge = (call: Call, name: string) => readCount(call, name, 366 * day);

/** At least a day, in which a partner can cancel what the admin proposed, unless the caller says otherwise. */
function readRecoveryDelay(call: Call, name: string): number {
  const delay = readDelay(call, name);
  if (delay >= day || call.find('allow-short-recovery') === 'yes') return delay;
  throw new UsageError(
    `${call.sourceOf(name)} must be at least ${day} seconds, unless --allow-short-recovery yes is given`,
  );
}

/** The address of a role, which may be a program's account; `none` for nobody. */
function readRole(call: Call, name: string): Address {
  return call.get(name) === 'none' ? noKey : readAddress(call, name);
}

/** Up to four addresses with commas; `none` for nobody. */
function readOwners(call: Call, name: string): Address[] {
  const text = call.get(name);
  const owners = text === 'none' ? [] : text.split(',');
  if (
    owners.length > 4 ||
    new Set(owners).size < owners.length ||
    !owners.every((owner) => isAddress(owner))
  ) {
    throw new UsageError(
      `${call.sourceOf(name)} must be one to four different addresses with commas, or none, not ${quoted(text)}`,
    );
  }
  return [...owners, ...Array<Address>(4 - owners.length).fill(noKey)] as Address[];
}

/** An amount in its smallest unit; 0 for no limit. */
function readLimit(call: Call, name: string): bigint {
  return call.get(name) === '0' ? 0n : readAmount(call, name, tokenDecimals);
}

function toSnakeCase(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
