import { verifyAuditLog } from '../actions/audit.js';
import { type FoundAnchor, verifyAuditAnchors } from '../actions/audit-anchors.js';
import { readConfig } from '../chain/program/program-snapshot.js';
import { asWalletAddress } from '../domain/solana.js';
import { type Call, CommandError, done, type Outcome } from './command.js';
import { mustBe } from './texts.js';
import { withContext } from './with-database.js';

export async function verify(call: Call): Promise<Outcome> {
  const text = call.find('signed-by');
  const named = text === undefined ? undefined : asWalletAddress(text);
  if (text !== undefined && !named) throw mustBe(call, 'signed-by', 'an address');
  return withContext(call, async (ctx) => {
    const signal = new AbortController().signal;
    const signer = named ?? (await readConfig(ctx.chain, 'confirmed', signal)).hotKeys.market;
    const { ok, rows, firstBad } = await verifyAuditLog(ctx.db);
    if (!ok) throw new CommandError(`Entry ${firstBad} of the audit log is not as it was written`);
    const { anchors, newest, broken } = await verifyAuditAnchors(ctx, signer, signal);
    if (broken) {
      throw new CommandError(
        `Entry ${broken.seq} of the audit log is not the one that ${broken.txHash} keeps on chain: entries up to it were rewritten or cut off`,
      );
    }
    if (rows > 0 && anchors === 0) {
      throw new CommandError(
        `The hashes of the audit log are right, but the node knows of none that ${signer} wrote on chain: the keeper writes one an hour; name an earlier key by --signed-by`,
      );
    }
    return done({ rows, anchors, newest_anchor: newest ? toView(newest) : null });
  });
}

const toView = ({ seq, hash, txHash, at }: FoundAnchor) => ({
  seq,
  hash: Buffer.from(hash).toString('hex'),
  tx_hash: txHash,
  at: at?.toISOString() ?? null,
});
