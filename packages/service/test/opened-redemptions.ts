import type { Localnet } from '@karat/localnet';
import {
  findConfigPda,
  findRedemptionPda,
  getConfigDecoder,
  getConfigEncoder,
  getRedemptionEncoder,
} from '@karat/program-client';
import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import type { RedemptionQuote } from '../src/db/redemptions/redemptions.js';
import { type RedemptionId, redemptionBytes, uuidBytes } from '../src/domain/ids.js';

/** The nodes of this process by the program on them. */
const nodes = new Map<string, Localnet>();

/** Has redemptions that tests write to the database open on this node, too. */
export function openRedemptionsOn(programId: Address, node: Localnet): void {
  nodes.set(programId, node);
}

/** Writes the account of a redemption as if it had been paid, where the program is on a node; its gold is another matter. */
export async function openByDecree(programId: string, quote: RedemptionQuote): Promise<void> {
  const node = nodes.get(programId);
  if (!node) return;
  const programAddress = programId as Address;
  const id = redemptionBytes(quote.id);
  const [user, amount] = [quote.userWallet as Address, quote.tokensRequired];
  const [[address], [config]] = await Promise.all([
    findRedemptionPda({ id }, { programAddress }),
    findConfigPda({ programAddress }),
  ]);
  const write = (to: string, bytes: ArrayLike<number>) =>
    node.setAccount(to, {
      lamports: 10_000_000n,
      owner: programId,
      data: Uint8Array.from(bytes),
      executable: false,
    });
  const account = node.getAccount(config);
  if (!account) throw new Error('the program has no configuration');
  const before = getConfigDecoder().decode(account.data);
  const openedAt = BigInt(node.nowUnixSeconds());
  const data = getRedemptionEncoder().encode({
    ...{ bump: 255, id, partnerId: uuidBytes(quote.partnerId), user, amount },
    // Who pays does not matter here.
    rentPayer: user,
    openedAt,
    // A node that has escrow alone has no settings.
    reclaimableAt: openedAt + BigInt(before.settings.redemptionTimeout || 30 * 86_400),
    burnReadyAt: 0n,
    wasAnnounced: 0,
  });
  write(address, data);
  write(config, getConfigEncoder().encode({ ...before, escrowOpen: before.escrowOpen + amount }));
}

/** Takes the account of a redemption away as if it had been settled. */
export async function closeByDecree(programId: string, redemptionId: RedemptionId): Promise<void> {
  const id = redemptionBytes(redemptionId);
  const [address] = await findRedemptionPda({ id }, { programAddress: programId as Address });
  nodes.get(programId)?.setAccount(address, {
    lamports: 0n,
    owner: SYSTEM_PROGRAM_ADDRESS,
    data: new Uint8Array(),
    executable: false,
  });
}
