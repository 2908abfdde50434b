import type { Outcome } from '../actions/approvals/plan.js';

/** Returns what is handed out for others to sign. */
export function toUnsigned(outcome: Outcome): Record<string, unknown> {
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
export function toChange(change: Outcome | undefined): Record<string, unknown> {
  return change?.kind === 'unsigned' ? toUnsigned(change) : { tx_hash: change?.txHash ?? null };
}

export function toSnakeCase(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
