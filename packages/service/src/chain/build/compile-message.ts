import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';

/** Returns the bytes of a legacy message, which are what its signers sign, as @solana/kit compiles them. */
export function compileLegacyMessage(
  feePayer: Address,
  blockhash: Blockhash,
  instructions: Instruction[],
): Uint8Array {
  // A message contains only the blockhash; the sender watches the height.
  const lifetime = { blockhash, lastValidBlockHeight: 0n };
  const compiled = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (m) => setTransactionMessageFeePayer(feePayer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
    compileTransactionMessage,
  );
  return Uint8Array.from(getCompiledTransactionMessageEncoder().encode(compiled));
}
