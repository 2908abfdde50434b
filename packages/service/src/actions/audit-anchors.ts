import { memoProgram } from '@karat/signer';
import type { Address, Signature } from '@solana/kit';

import { signTransaction } from '../chain/build/prepare-transaction.js';
import type { Chain } from '../chain/chain.js';
import { sendAndWait } from '../chain/node/landing.js';
import { pageSize, textsSignedBy, UnknownTransactionError } from '../chain/node/signed-transactions.js';
import { readConfig } from '../chain/program/program-snapshot.js';
import type { Context } from '../context.js';
import { findAuditHashes, findAuditHead } from '../db/operators/audit-log.js';
import { type AuditAnchor, anchorText, parseAnchor } from '../domain/audit.js';
import { toInteger } from '../domain/integer.js';
import { chunksOf } from '../runtime/chunks.js';
import { withDeadline } from '../runtime/time.js';

const confirmMs = 60_000;
/** Transactions that are read from the node at the same time. */
const readAtOnce = 20;

/**
 * Keeps the end of the audit log on chain, in a memo that the market key signs and pays for, unless it is the one of `latest`.
 * Returns what is kept there. Rejects when the node does not respond or refuses the transaction, and when the log no longer
 * contains the entry of `latest`.
 */
export async function anchorAuditLog(
  ctx: Pick<Context, 'db' | 'chain' | 'log'>,
  latest: AuditAnchor | undefined,
  signal: AbortSignal,
): Promise<AuditAnchor | undefined> {
  const { chain, db, log } = ctx;
  const head = await findAuditHead(db);
  if (!chain.market || !head || head.seq === 0) return latest;
  if (latest && !isKept(await findAuditHashes(db, [latest.seq]), latest)) {
    throw new Error(`the audit log no longer contains entry ${latest.seq}, which is anchored on chain`);
  }
  if (head.seq === latest?.seq) return latest;
  const memo = { programAddress: memoProgram, data: Buffer.from(anchorText(head)) };
  const config = await readConfig(chain, 'confirmed', signal);
  const signed = await signTransaction(chain, config, {
    instructions: [memo],
    payer: chain.market.address,
  });
  const landing = await withDeadline(confirmMs, signal, (end) => sendAndWait(chain, signed, end));
  if (landing.kind === 'refused' || landing.kind === 'failed') throw landing.cause;
  if (landing.kind !== 'confirmed')
    throw new Error(`The anchor ${signed.txHash} of the audit log did not land`);
  log.info({ tx_hash: signed.txHash, audit_seq: head.seq }, 'anchored the audit log');
  return head;
}

function isKept(hashes: ReadonlyMap<number, Uint8Array>, { seq, hash }: AuditAnchor): boolean {
  const found = hashes.get(seq);
  return found !== undefined && Buffer.from(found).equals(hash);
}

/** An anchor that the audit log contradicts, or the newest one. */
export interface FoundAnchor extends AuditAnchor {
  txHash: Signature;
  /** Of its block, if the node knows that. */
  at: Date | undefined;
}

export interface AnchorVerdict {
  /** How many anchors the log agrees with. */
  anchors: number;
  newest: FoundAnchor | undefined;
  /** The oldest one whose row is missing or has another hash: rows up to it were cut off or rewritten. */
  broken: FoundAnchor | undefined;
}

/**
 * Compares the audit log with all anchors that `signer` signed, as far as the node knows its history. Rejects when the node
 * fails.
 */
export async function verifyAuditAnchors(
  { db, chain }: Pick<Context, 'db' | 'chain'>,
  signer: Address,
  signal: AbortSignal,
): Promise<AnchorVerdict> {
  const verdict: AnchorVerdict = { anchors: 0, newest: undefined, broken: undefined };
  for await (const page of anchorsOf({ chain }, signer, signal)) {
    const anchors = await onlySigned(chain, signer, page, signal);
    const hashes = await findAuditHashes(
      db,
      anchors.map(({ seq }) => seq),
    );
    for (const anchor of anchors) {
      verdict.newest ??= anchor;
      if (isKept(hashes, anchor)) verdict.anchors += 1;
      else verdict.broken = anchor;
    }
  }
  return verdict;
}

/** Leaves out what somebody else wrote: anyone can send a memo that names the key. */
async function onlySigned(
  chain: Chain,
  signer: Address,
  anchors: readonly FoundAnchor[],
  signal: AbortSignal,
): Promise<FoundAnchor[]> {
  const signed: FoundAnchor[] = [];
  for (const some of chunksOf(anchors, readAtOnce)) {
    const texts = await Promise.all(
      some.map(({ txHash }) => textsSignedBy(chain.rpc, signer, txHash, signal).catch(unlessUnknown)),
    );
    signed.push(...some.filter((anchor, at) => texts[at]?.includes(anchorText(anchor))));
  }
  return signed;
}

/** A node may list transactions that it no longer gives: those prove nothing. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof UnknownTransactionError)) throw error;
}

/** Yields pages of the memos that look like anchors among the transactions that name an address, newest first. */
async function* anchorsOf(
  { chain }: Pick<Context, 'chain'>,
  address: Address,
  abortSignal: AbortSignal,
): AsyncGenerator<FoundAnchor[]> {
  for (let before: Signature | undefined; ; ) {
    const from = before === undefined ? {} : { before };
    const config = { commitment: 'confirmed', limit: pageSize, ...from } as const;
    const lines = await chain.rpc.getSignaturesForAddress(address, config).send({ abortSignal });
    yield lines.flatMap(({ signature, memo, err, blockTime }) => {
      if (err !== null) return [];
      const at = blockTime === null ? undefined : new Date(toInteger(blockTime) * 1_000);
      // A node lists `[length] text` of each memo, joined with `; `.
      return (memo ?? '').split('; ').flatMap((text) => {
        const anchor = parseAnchor(text.replace(/^\[\d+\] /, ''));
        return anchor ? [{ ...anchor, txHash: signature, at }] : [];
      });
    });
    before = lines.at(-1)?.signature;
    if (before === undefined) return;
  }
}
