import { createKeyPairSignerFromBytes } from '@solana/kit';
import { newKeyPairBytes } from '../keys.js';
import { cheat } from './chain.js';
import { refusal } from './key.js';
import { type OrderTransaction, printSigning, signAndSubmitOrder } from './order.js';
import { mintRoleKey, type Role } from './role.js';
import { readUntil } from './transaction.js';
import {
  changeSides,
  type OwnPartner,
  orderPurchase,
  purchase,
  readPartner,
  type Treasury,
} from './treasury.js';

const lamportsForFees = 100_000_000;

/** A new executive is added and buys for the vault; removed again, neither its key nor its signature does anything. */
export async function comeAndGo(treasury: Treasury): Promise<Role> {
  const { sandbox, teller } = treasury;
  const wallet = await createKeyPairSignerFromBytes(newKeyPairBytes());
  await cheat(sandbox.info.rpc_url, 'requestAirdrop', wallet.address, lamportsForFees);
  await changeExecutives(treasury, 'add', wallet.address);
  const newcomer = await teller.step('New executive: mint a key', async (figure) => {
    const role = await mintRoleKey(treasury, wallet, 'demo: new executive');
    figure('scope', role.scope.join(', '));
    return role;
  });
  await changeSides(treasury);
  await purchase(treasury, newcomer, 'New executive', 0.5);
  const prepared = await orderPurchase(treasury, newcomer, 'New executive', 0.25);
  await changeExecutives(treasury, 'remove', wallet.address);
  await teller.step('Removed executive: order once more, with its key', async (figure) => {
    const order = { goldAmount: 0.25, maxUsdcAmount: 10_000 };
    const ask = () => newcomer.api.post('/api/trading/purchases/partner', order);
    figure('response', await refusal('insufficient_scope', ask));
  });
  await teller.step('Removed executive: sign and submit what it ordered before', async (figure) => {
    const submit = () => signAndSubmitOrder(newcomer.api, prepared.transaction, wallet, () => {});
    figure('response', await refusal('broadcast_failed', submit, 'NotExecutive'));
  });
  return newcomer;
}

/** Orders a change, signs it as update authority and waits until the API knows it. */
async function changeExecutives(treasury: Treasury, how: 'add' | 'remove', wallet: string): Promise<void> {
  const { teller, partner, updateAuthority } = treasury;
  const title = how === 'add' ? 'Update authority: add an executive' : 'Update authority: remove it again';
  await teller.step(title, async (figure) => {
    const { transaction } = await updateAuthority.api.put<{ transaction: OrderTransaction }>(
      `/api/distribution/partner/${partner.partner_id}/executive-authority`,
      { [how]: [wallet] },
    );
    figure(how, wallet);
    printSigning(transaction, figure);
    await signAndSubmitOrder(updateAuthority.api, transaction, updateAuthority.wallet, figure);
    const isDone = ({ executiveAuthorities }: OwnPartner) =>
      executiveAuthorities.includes(wallet) === (how === 'add');
    const known = await readUntil(() => readPartner(treasury), isDone);
    figure('executives', String(known.executiveAuthorities.length));
    if (!isDone(known)) throw new Error('The API does not know of it');
  });
}

/** Revokes the keys of all roles, that of the update authority last, and makes sure that it opens nothing any more. */
export async function revokeRoleKeys(treasury: Treasury, newcomer: Role): Promise<void> {
  const { teller, executive, withdrawalAuthority, updateAuthority } = treasury;
  await teller.step('Update authority: revoke the keys, its own last', async (figure) => {
    for (const { keyId } of [executive, withdrawalAuthority, newcomer, updateAuthority]) {
      await updateAuthority.api.post(`/api/auth/api-keys/${keyId}/revoke`);
    }
    figure('response', await refusal('unauthorized', () => readPartner(treasury)));
  });
}
