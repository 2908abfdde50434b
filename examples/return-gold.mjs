// Returns GOLD from escrow that belongs to no redemption, as docs/indexing.md says when. Signed by the program's admin, whose key
// KARAT_ADMIN_KEYPAIR names; KARAT_RPC_URL and KARAT_PROGRAM_ID as for the service. Only tries unless the last word is "send":
//   node --conditions=source --import tsx examples/return-gold.mjs <base units> <wallet> [send]
import { readFileSync } from 'node:fs';
import {
  fetchConfig,
  findConfigPda,
  getSettleEscrowInstructionAsync,
  SettlementMode,
} from '@karat/program-client';
import {
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';

const [amount, wallet, send] = process.argv.slice(2);
if (!amount || !wallet || (send !== undefined && send !== 'send')) {
  throw new Error('usage: return-gold.mjs <base units> <wallet> [send]');
}
const { KARAT_RPC_URL, KARAT_PROGRAM_ID, KARAT_ADMIN_KEYPAIR } = process.env;
const rpc = createSolanaRpc(KARAT_RPC_URL);
const programAddress = address(KARAT_PROGRAM_ID);
const owner = address(wallet);
const admin = await createKeyPairSignerFromBytes(
  Uint8Array.from(JSON.parse(readFileSync(KARAT_ADMIN_KEYPAIR, 'utf8'))),
);

const [config] = await findConfigPda({ programAddress });
const { escrowGold, goldMint: mint } = (await fetchConfig(rpc, config)).data;
const [ata] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
const settlement = {
  ...{ admin, escrowGold, goldMint: mint, destination: ata, amount: BigInt(amount) },
  mode: SettlementMode.Refund,
  // Zero: it came without a redemption, so that no row of one is taken for settled.
  reference: new Uint8Array(16),
};
const instructions = [
  getCreateAssociatedTokenIdempotentInstruction({ payer: admin, ata, owner, mint }),
  await getSettleEscrowInstructionAsync(settlement, { programAddress }),
];

const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
const message = pipe(
  createTransactionMessage({ version: 'legacy' }),
  (m) => setTransactionMessageFeePayerSigner(admin, m),
  (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
  (m) => appendTransactionMessageInstructions(instructions, m),
);
const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
const options = { encoding: 'base64' };
if (send) {
  console.log(await rpc.sendTransaction(wire, { ...options, preflightCommitment: 'confirmed' }).send());
} else {
  const { value } = await rpc.simulateTransaction(wire, { ...options, commitment: 'confirmed' }).send();
  if (value.err) throw new Error(`the chain would refuse it: ${(value.logs ?? []).join('; ')}`);
  console.log(`would return ${amount} base units to ${ata}`);
}
