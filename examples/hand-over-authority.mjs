// Hands a key of a partner over to another one: its wallet, its update or its withdrawal authority. Signed and paid for by the present key
// alone, without Karat. Only tries unless the last word is "send":
//   KARAT_RPC_URL=… KARAT_PROGRAM_ID=… node --conditions=source --import tsx examples/hand-over-authority.mjs
//     <partner id> <wallet|update|withdrawal> <key file of the present one> <address of the new one> [send]
// The new wallet must be one that the partner never had, and somebody must hold the new key: only the admin can bring the old one back.
import { readFileSync } from 'node:fs';
import {
  AuthorityRole,
  findIntegratorPda,
  getHandOverAuthorityInstructionAsync,
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
import './one-line-errors.mjs';

const roles = {
  wallet: AuthorityRole.Wallet,
  update: AuthorityRole.Update,
  withdrawal: AuthorityRole.Withdrawal,
};
const [partner, name, keyFile, next, send] = process.argv.slice(2);
if (!next || !(name in roles) || (send !== undefined && send !== 'send')) {
  throw new Error(
    'usage: hand-over-authority.mjs <partner id> <wallet|update|withdrawal> <key file> <address> [send]',
  );
}
const { KARAT_RPC_URL, KARAT_PROGRAM_ID } = process.env;
if (!KARAT_RPC_URL || !KARAT_PROGRAM_ID) throw new Error('KARAT_RPC_URL and KARAT_PROGRAM_ID must be set');
const rpc = createSolanaRpc(KARAT_RPC_URL);
const programAddress = address(KARAT_PROGRAM_ID);
const holder = await createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(readFileSync(keyFile, 'utf8'))));

const partnerId = Buffer.from(partner.replaceAll('-', ''), 'hex');
const [integrator] = await findIntegratorPda({ partnerId }, { programAddress });
const instruction = await getHandOverAuthorityInstructionAsync(
  { integrator, holder, role: roles[name], key: address(next) },
  { programAddress },
);

const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
const message = pipe(
  createTransactionMessage({ version: 'legacy' }),
  (m) => setTransactionMessageFeePayerSigner(holder, m),
  (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
  (m) => appendTransactionMessageInstructions([instruction], m),
);
const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
const options = { encoding: 'base64' };
if (send) {
  console.log(await rpc.sendTransaction(wire, { ...options, preflightCommitment: 'confirmed' }).send());
} else {
  const { value } = await rpc.simulateTransaction(wire, { ...options, commitment: 'confirmed' }).send();
  if (value.err) throw new Error(`the chain would refuse it: ${(value.logs ?? []).join('; ')}`);
  console.log(`would hand the ${name} authority from ${holder.address} to ${next}`);
}
