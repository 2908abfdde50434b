import type { Address } from '@solana/kit';
import { unavailable } from '../../errors.js';
import { withDeadline } from '../../runtime/time.js';
import type { Chain } from '../chain.js';
import { goldOf, tokenAccountIn, tokenAccountOf, usdcOf } from './token-accounts.js';

/** What a wallet holds. */
export interface Holdings {
  /** Base units, as the next one. */
  gold: bigint;
  usdc: bigint;
  lamports: bigint;
  /** Addresses of the associated token accounts; undefined: there is none, or another wallet owns it. */
  goldAccount: Address | undefined;
  usdcAccount: Address | undefined;
  /** Tokens whose associated account the wallet gave to another owner: it can neither pay nor receive any more. */
  ownedByOthers: ('gold' | 'usdc')[];
}

/** A request does not wait longer for this. */
const timeoutMs = 2_000;

/** Reads what a wallet holds now, at commitment `confirmed`. Throws `service_unavailable` when the node does not respond. */
export async function readHoldings(
  { rpc }: Pick<Chain, 'rpc'>,
  wallet: Address,
  mints: { goldMint: Address; usdcMint: Address },
): Promise<Holdings> {
  const [gold, usdc] = [tokenAccountOf(wallet, goldOf(mints)), tokenAccountOf(wallet, usdcOf(mints))];
  try {
    const { value } = await withDeadline(timeoutMs, undefined, (abortSignal) =>
      rpc
        .getMultipleAccounts([wallet, gold, usdc], { commitment: 'confirmed', encoding: 'base64' })
        .send({ abortSignal }),
    );
    const [own, ofGold, ofUsdc] = value;
    const found = { gold: tokenAccountIn(ofGold), usdc: tokenAccountIn(ofUsdc) };
    const amountOf = (token: 'gold' | 'usdc') =>
      found[token]?.owner === wallet ? found[token].amount : undefined;
    const [goldAmount, usdcAmount] = [amountOf('gold'), amountOf('usdc')];
    return {
      gold: goldAmount ?? 0n,
      usdc: usdcAmount ?? 0n,
      lamports: own?.lamports ?? 0n,
      goldAccount: goldAmount === undefined ? undefined : gold,
      usdcAccount: usdcAmount === undefined ? undefined : usdc,
      ownedByOthers: (['gold', 'usdc'] as const).filter(
        (token) => found[token] && found[token].owner !== wallet,
      ),
    };
  } catch (cause) {
    throw unavailable('The Solana node does not report what the wallet holds; try again shortly.', { cause });
  }
}
