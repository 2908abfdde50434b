import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { attestGold } from '../actions/treasury/attest-gold.js';
import { mintGold } from '../actions/treasury/mint-gold.js';
import type { PreparedTransaction } from '../chain/build/prepare-transaction.js';
import { responseOf } from '../chain/node/landing.js';
import { readBackingOfChain } from '../chain/program/reserve-snapshot.js';
import { weighHeldBars } from '../db/bars/held-bars.js';
import { attestedLessBurns } from '../domain/attestation.js';
import { commandLine } from '../domain/audit.js';
import { toInteger } from '../domain/integer.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import { momentOf, parseTimestamp } from '../domain/timestamp.js';
import { type Call, CommandError, done, type Outcome } from './command.js';
import { readFeePayer, readIfGiven, readKeyFile } from './keys.js';
import { quoted } from './parse.js';
import { mustBe, readAmount, readReason } from './texts.js';
import { toChange } from './transactions.js';
import { withChain, withContext, withDatabase } from './with-database.js';

export async function status(call: Call): Promise<Outcome> {
  const { supply, burned, attestation } = await withChain(call, (chain) =>
    responseOf(readBackingOfChain(chain, AbortSignal.timeout(readWithinMs))),
  );
  return done({
    supply: gold(supply),
    attested: gold(attestation?.amount ?? 0n),
    as_of: attestation?.asOf.toISOString() ?? null,
    burned_at_as_of: gold(attestation?.burnedAtAsOf ?? 0n),
    burned_total: gold(burned),
    attested_less_burns: gold(attestation ? attestedLessBurns(attestation, burned) : 0n),
  });
}

export async function attest(call: Call): Promise<Outcome> {
  const amount = readAmount(call, 'amount', tokenDecimals, { orNothing: true });
  const burnedAtAsOf = readAmount(call, 'burned-at', tokenDecimals, { orNothing: true });
  const confirmed = readIfGiven(call, 'confirm', (given, name) =>
    readAmount(given, name, tokenDecimals, { orNothing: true }),
  );
  const asOf = readIfGiven(call, 'as-of', readMoment);
  const attestor = readKeyFile(call, 'attestor-keypair');
  const reportHash = await hashOf(call, 'report');
  const bars = await findBars(call);
  const { transaction, ...made } = await withChain(call, (chain) =>
    attestGold(chain, attestor, { amount, burnedAtAsOf, asOf, reportHash, confirmed, bars }),
  );
  return done({
    attested: gold(amount),
    burned_at_as_of: gold(burnedAtAsOf),
    as_of: momentOf(made.asOf).toISOString(),
    report_hash: reportHash.toString('hex'),
    ...toTransactionView(transaction),
  });
}

/** The gold of the bars in the vaults, where the attestor has an address of the database. */
async function findBars(call: Call): Promise<bigint | undefined> {
  if (!call.env.DATABASE_URL) return undefined;
  return (await withDatabase(call, ({ db }) => weighHeldBars(db))).gold;
}

/** `gold mint` */
export async function mint(call: Call): Promise<Outcome> {
  const amount = readAmount(call, 'amount', tokenDecimals);
  const wanted = { amount, feePayer: readFeePayer(call), reason: readReason(call) };
  const minted = await withContext(call, (ctx) => mintGold(ctx, commandLine, wanted));
  return done({
    minted: gold(amount),
    supply: gold(minted.supply),
    attested: gold(minted.attested),
    ...toChange(minted.act),
  });
}

/** The signature of what was sent; else the transaction for the holder of the missing keys. */
function toTransactionView({ transaction, txHash, missing, lastValidBlockHeight }: PreparedTransaction) {
  if (txHash !== undefined) return { tx_hash: txHash };
  return {
    transaction: Buffer.from(transaction).toString('base64'),
    signers: missing,
    last_valid_block_height: toInteger(lastValidBlockHeight),
  };
}

const readWithinMs = 3_000;

const gold = (amount: bigint) => formatDecimal(amount, tokenDecimals);

/** Unix seconds of a timestamp. */
function readMoment(call: Call, name: string): bigint {
  const at = parseTimestamp(call.get(name));
  if (at) return BigInt(Math.floor(at.getTime() / 1_000));
  throw mustBe(call, name, 'a timestamp such as 2026-03-01T12:00:00Z');
}

/** Returns SHA-256 of a file, however large. */
async function hashOf(call: Call, name: string): Promise<Buffer> {
  const path = call.get(name);
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    throw new CommandError(`${call.sourceOf(name)}: ${quoted(path)} cannot be read`);
  }
  return hash.digest();
}
