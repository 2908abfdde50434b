import { Localnet } from '@karat/localnet';
import { findConfigPda, getConfigEncoder } from '@karat/program-client';
import { AccountState, getTokenEncoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { addressOf, givenConfig } from './chain/fixtures.js';
import { newWallet } from './harness.js';

export type EscrowNode = Awaited<ReturnType<typeof startEscrowNode>>;

/** A node that knows the program's configuration and its escrow, and nothing else. Escrow holds a billion GOLD. */
export async function startEscrowNode() {
  const node = await Localnet.start({ rpcPort: 0 });
  const programId = newWallet().address;
  const [config] = await findConfigPda({ programAddress: programId });
  const escrowGold = newWallet().address;
  const write = (address: string, owner: string, data: Uint8Array) =>
    node.setAccount(address, { lamports: 10_000_000n, owner, data, executable: false });
  write(config, programId, Uint8Array.from(getConfigEncoder().encode(givenConfig({ escrowGold }))));
  const setEscrow = (amount: bigint) => {
    const state = AccountState.Initialized;
    const none = { delegate: null, isNative: null, delegatedAmount: 0n, closeAuthority: null };
    const account = { mint: addressOf(11), owner: addressOf(12), amount, state, ...none };
    write(escrowGold, TOKEN_PROGRAM_ADDRESS, Uint8Array.from(getTokenEncoder().encode(account)));
  };
  setEscrow(10n ** 15n);
  return {
    /** Settings of a service that reads this escrow. */
    config: { rpcUrls: [node.rpcUrl], wsUrls: [node.wsUrl], programId },
    /** Sets what escrow holds, base units. */
    setEscrow,
    stop: () => node.stop(),
  };
}
