import { type Address, isAddress } from '@solana/kit';
import { initChain } from '../actions/init-chain.js';
import {
  type ChainStatus,
  type PauseFlags,
  readChainStatus,
  setChainStatus,
} from '../actions/set-chain-status.js';
import { type ProgramSettings, sandboxSettings } from '../chain/seed.js';
import { KeyFileError, loadSigner, type Signer } from '../chain/signer.js';
import { asWalletAddress } from '../chain/wallet.js';
import { commandLine } from '../domain/audit.js';
import { parseDecimal, tokenDecimals } from '../domain/money.js';
import { type Call, CommandError, done, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';
import { readReason } from './texts.js';
import { withContext } from './with-database.js';

const flags = ['trade', 'partner', 'withdraw'] as const;

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
  const after = await withContext(call, (ctx) => setChainStatus(ctx, commandLine, { paused, reason }));
  return done({ ...toView(after), tx_hash: after.txHash });
}

function readFlags(call: Call): (typeof flags)[number][] {
  const names = call.get('only').split(',');
  const known = flags.filter((flag) => names.includes(flag));
  if (known.length === names.length) return known;
  throw new UsageError(
    `${call.sourceOf('only')} takes some of ${flags.join(',')}, each once, not ${quoted(call.get('only'))}`,
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
  const upgradeFile = call.find('upgrade-authority-keypair');
  const upgradeAuthority = upgradeFile === undefined ? undefined : readKeyFile(call, upgradeFile);
  return done(
    await withContext(call, async (ctx) => {
      const { admin } = ctx.chain;
      if (!admin) throw new CommandError('KARAT_ADMIN_KEYPAIR is not set: the admin signs and pays');
      if (!ctx.chain.hasSigner) {
        throw new CommandError('KARAT_SERVICE_KEYPAIR is not set: its key becomes the first service signer');
      }
      const watchman = guardian ?? ctx.chain.guardian?.address;
      if (!watchman) throw new UsageError('--guardian ADDRESS is missing (or KARAT_GUARDIAN_KEYPAIR)');
      const initialized = await initChain(ctx, commandLine, {
        upgradeAuthority: upgradeAuthority ?? admin,
        admin,
        guardian: watchman,
        feeOwner,
        usdcMint,
        goldMint,
        settings,
      });
      return toSnakeCase(initialized);
    }),
  );
}

async function readSettings(call: Call): Promise<ProgramSettings> {
  const standard = await sandboxSettings();
  return {
    ...standard,
    priceAccount:
      call.find('price-account') === undefined ? standard.priceAccount : readAddress(call, 'price-account'),
    minPriceE8: readAmount(call, 'min-price', 8),
    maxPriceE8: readAmount(call, 'max-price', 8),
    maxTradeUsdc: readAmount(call, 'max-trade', tokenDecimals),
    maxAgeOpen: readCount(call, 'max-age-open', 86_400),
    maxAgeClosed: readCount(call, 'max-age-closed', 604_800),
    maxConfBps: readCount(call, 'max-confidence-bps', 10_000),
    maxFeeBps: readCount(call, 'max-fee-bps', 10_000),
  };
}

function readMint(call: Call, name: string): Address | 'new' {
  return call.get(name) === 'new' ? 'new' : readAddress(call, name);
}

function readAddress(call: Call, name: string): Address {
  const text = call.get(name);
  if (isAddress(text)) return text;
  throw new UsageError(`${call.sourceOf(name)} must be an address, not ${quoted(text)}`);
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

function toSnakeCase(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
