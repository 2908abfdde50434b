import { getMintGoldInstructionAsync, getTreasuryWithdrawInstruction } from '@karat/program-client';
import { token2022Program } from '@karat/signer';
import { writeTransaction } from '@karat/wire';
import { type Address, createNoopSigner, createSolanaRpc, type Instruction } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireSuccess } from '../../../src/chain/admin/admin-operations.js';
import { compileLegacyMessage } from '../../../src/chain/build/compile-message.js';
import { type KaratChain, startKaratChain } from '../../karat-chain.js';

let chain: KaratChain;
beforeAll(async () => {
  chain = await startKaratChain();
});
afterAll(() => chain.stop());

/** Tries instructions of the admin out, unsigned. */
async function tried(...instructions: Instruction[]): Promise<void> {
  const rpc = createSolanaRpc(chain.node.rpcUrl);
  const { value } = await rpc.getLatestBlockhash().send();
  const message = compileLegacyMessage(chain.admin.address, value.blockhash, instructions);
  const transaction = writeTransaction(message, new Uint8Array(64));
  const programAddress = chain.config.programId;
  await requireSuccess({ rpc, programAddress }, { transaction, txHash: undefined });
}

const admin = () => createNoopSigner(chain.admin.address as Address);
const target = () => ({ programAddress: chain.config.programId });
const mint = (amount: bigint) => {
  const { treasuryGold } = chain.addresses;
  return getMintGoldInstructionAsync(
    { admin: admin(), treasuryGold, goldMint: chain.goldMint, amount },
    target(),
  );
};

test('require success: minting beyond what is attested is not backed', async () => {
  await tried(await mint(1n));
  await expect(tried(await mint(10n ** 16n))).rejects.toMatchObject({
    code: 'broadcast_failed',
    reason: 'not_backed',
    programErrorName: 'NotBacked',
    message: expect.stringContaining('The chain would reject this: NotBacked: '),
  });
});

test('require success: a paused treasury has a reason of its own, for mints and withdrawals', async () => {
  await chain.setStatus({ paused: 32 });
  const paused = { code: 'broadcast_failed', reason: 'treasury_paused', programErrorName: 'Paused' };
  await expect(tried(await mint(1n))).rejects.toMatchObject(paused);
  const { config, treasuryAuthority, treasuryGold } = chain.addresses;
  const withdrawal = getTreasuryWithdrawInstruction(
    {
      ...{ config, admin: admin(), treasuryAuthority, treasuryToken: treasuryGold },
      ...{ destination: treasuryGold, mint: chain.goldMint, tokenProgram: token2022Program, amount: 1n },
    },
    target(),
  );
  await expect(tried(withdrawal)).rejects.toMatchObject(paused);
  await chain.setStatus({});
  await tried(await mint(1n));
});
