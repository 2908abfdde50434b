/** Below these amounts, in base units, a deposit past the service is dust: about one US dollar. */
const leastGold = 250n;
const leastUsdc = 1_000_000n;

/** Returns whether a deposit into a treasury account is too small for a separate dead letter. */
export function isDust(role: string, amount: bigint): boolean {
  return amount > 0n && amount < (role.endsWith('_gold') ? leastGold : leastUsdc);
}
