import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { attestGold } from '../actions/treasury/attest-gold.js';
import { mintGold } from '../actions/treasury/mint-gold.js';
import type { PreparedTransaction } from '../chain/build/prepare-transaction.js';
import { commandLine } from '../domain/audit.js';
import { toInteger } from '../domain/integer.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import { momentOf, parseTimestamp } from '../domain/timestamp.js';
import { readFeePayer, readIfGiven, readKeyFile, toChange } from './chain.js';
import { type Call, CommandError, done, type Outcome } from './command.js';
import { quoted } from './parse.js';
import { mustBe, readAmount, readReason } from './texts.js';
import { withChain, withContext } from './with-database.js';

export async function attest(call: Call): Promise<Outcome> {
  const amount = readAmount(call, 'amount', tokenDecimals, { orNothing: true });
  const asOf = readIfGiven(call, 'as-of', readMoment);
  const attestor = readKeyFile(call, 'attestor-keypair');
  const reportHash = await hashOf(call, 'report');
  const { transaction, ...made } = await withChain(call, (chain) =>
    attestGold(chain, attestor, { amount, asOf, reportHash }),
  );
  return done({
    attested: gold(amount),
    as_of: momentOf(made.asOf).toISOString(),
    report_hash: reportHash.toString('hex'),
    ...toTransactionView(transaction),
  });
}

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
