import type { Address, Signature } from '@solana/kit';
import { memoProgram } from '../chain/build/build-trade.js';
import { signTransaction } from '../chain/build/prepare-transaction.js';
import { sendAndWait } from '../chain/node/landing.js';
import { pageSize, textsSignedBy } from '../chain/node/signed-transactions.js';
import { readConfig } from '../chain/program/keeper-view.js';
import type { Context } from '../context.js';
import { findAuditHashes, findAuditHead } from '../db/operators/audit-log.js';
import { type AuditAnchor, anchorText, parseAnchor } from '../domain/audit.js';
import { toInteger } from '../domain/integer.js';
import { withDeadline } from '../runtime/time.js';

const confirmMs = 60_000;

/**
 * Keeps the end of the audit log on chain, in a memo that the guardian signs and pays for, unless it is the one of `latest`.
 * Returns what is kept there. Rejects when the node does not respond or refuses the transaction.
 */
export async function anchorAuditLog(
  ctx: Pick<Context, 'db' | 'chain' | 'log'>,
  latest: AuditAnchor | undefined,
  signal: AbortSignal,
): Promise<AuditAnchor | undefined> {
  const { chain, db, log } = ctx;
  const head = await findAuditHead(db);
  if (!chain.guardian || !head || head.seq === 0 || head.seq === latest?.seq) return latest;
  const memo = { programAddress: memoProgram, data: Buffer.from(anchorText(head)) };
  const config = await readConfig(chain, 'confirmed', signal);
  const signed = await signTransaction(chain, config, {
    instructions: [memo],
    payer: chain.guardian.address,
  });
  const landing = await withDeadline(confirmMs, signal, (end) => sendAndWait(chain, signed, end));
  if (landing.kind === 'refused' || landing.kind === 'failed') throw landing.cause;
  log.info({ tx_hash: signed.txHash, audit_seq: head.seq, landing: landing.kind }, 'anchored the audit log');
  return head;
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
 * Compares the audit log with all anchors that `guardian` signed, as far as the node knows its history. Rejects when the node
 * fails.
 */
export async function verifyAuditAnchors(
  { db, chain }: Pick<Context, 'db' | 'chain'>,
  guardian: Address,
  signal: AbortSignal,
): Promise<AnchorVerdict> {
  const verdict: AnchorVerdict = { anchors: 0, newest: undefined, broken: undefined };
  for await (const anchors of anchorsOf({ chain }, guardian, signal)) {
    const hashes = await findAuditHashes(
      db,
      anchors.map(({ seq }) => seq),
    );
    for (const anchor of anchors) {
      const hash = hashes.get(anchor.seq);
      const agrees = hash !== undefined && Buffer.from(hash).equals(anchor.hash);
      // Anyone can send a memo that names the guardian.
      const texts = agrees || (await textsSignedBy(chain, guardian, anchor.txHash, signal));
      if (texts !== true && !texts?.includes(anchorText(anchor))) continue;
      verdict.newest ??= anchor;
      if (agrees) verdict.anchors += 1;
      else verdict.broken = anchor;
    }
  }
  return verdict;
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
