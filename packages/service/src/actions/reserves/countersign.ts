import { verifySignature } from '../../chain/sign/signer.js';
import type { Context } from '../../context.js';
import { addCountersignature, findStatement } from '../../db/reserves/statements.js';
import { asStatementId } from '../../domain/ids.js';
import { AppError, invalidField } from '../../errors.js';

/** A signature of a statement's canonical bytes by somebody else. */
export interface GivenCountersignature {
  statementId: string;
  /** 32 bytes. */
  publicKey: Uint8Array;
  /** 64 bytes. */
  signature: Uint8Array;
}

/**
 * Adds a countersignature to a statement, such as the auditor's; one by the same key is replaced. Throws `statement_not_found`, and `invalid_request` for a
 * signature that is not valid.
 */
export async function countersign(
  ctx: Pick<Context, 'db' | 'clock'>,
  { statementId, publicKey, signature }: GivenCountersignature,
): Promise<void> {
  const id = asStatementId(statementId);
  const statement = id && (await findStatement(ctx.db, id));
  if (!id || !statement)
    throw new AppError('statement_not_found', 'There is no such statement of the reserves.');
  if (!verifySignature(publicKey, Buffer.from(statement.body), signature))
    throw invalidField('signature', 'The signature is not one of this statement by this key.');
  const countersignature = {
    public_key: Buffer.from(publicKey).toString('hex'),
    signature: Buffer.from(signature).toString('base64'),
    at: new Date(ctx.clock.now()).toISOString(),
  };
  await ctx.db.transaction((tx) => addCountersignature(tx, id, countersignature));
}
