/** What adversaries have, at the price of the market: it never grows but by honest trades, and those cost a fee. */
import { getRedemptionDecoder } from '@karat/program-client';
import type { Context } from '../../packages/service/src/context.js';
import { bars, redemptions } from '../../packages/service/src/db/schema.js';
import { redemptionFromBytes } from '../../packages/service/src/domain/index.js';
import { usualPrice } from '../../packages/service/test/karat-chain.js';
import { funding } from './people.js';
import type { World } from './world.js';

/** Base units of GOLD that a bar of a tola is worth: what its redemption takes, without the fee. */
const barGold = 375_000n;
/** An open redemption on the chain: its kind, and its length. */
const redemptionKind = 3;
const redemptionBytes = 136;

interface Wealth {
  who: string;
  wallets: string[];
  /** How many of the wallets were given `funding`. */
  funded: bigint;
}

/** Returns in a line each which adversaries have more than they were given. Rejects when chain or database do not respond. */
export async function findGains(ctx: Context, world: World): Promise<string[]> {
  const { hostile, greedy, thief } = world.people;
  const adversaries: Wealth[] = [
    ...hostile.users.map(({ id, wallet }) => ({
      who: `customer ${id}`,
      wallets: [wallet.address],
      funded: 1n,
    })),
    { who: 'the hostile partner', wallets: [hostile.wallet.address], funded: 0n },
    { who: `the greedy customer ${greedy.id}`, wallets: [greedy.wallet.address], funded: 1n },
    { who: 'the thief', wallets: [thief.address], funded: 1n },
  ];
  const open = await openRedemptions(ctx);
  const handedOver = await findHandedOver(ctx);
  const owners = await findOwners(ctx);
  const found: string[] = [];
  for (const { who, wallets, funded } of adversaries) {
    let gold = 0n;
    let usdc = 0n;
    for (const wallet of wallets) {
      gold += await world.chain.balance(wallet as never, world.chain.goldMint);
      usdc += await world.chain.balance(wallet as never, world.chain.usdcMint);
      // A customer who has the bar has no claim to its tokens any more.
      for (const { id, user, amount } of open) if (user === wallet && !handedOver.has(id)) gold += amount;
      for (const id of handedOver) if (owners.get(id) === wallet) gold += barGold;
    }
    const now = usdcOf(gold, usdc);
    const before = usdcOf(funding.gold, funding.usdc) * funded;
    if (now > before) found.push(`${who} gained: has ${now} and was given ${before}, in base units of USDC`);
  }
  return found;
}

/** Base units of USDC. */
const usdcOf = (gold: bigint, usdc: bigint) =>
  usdc + (gold * usualPrice.price) / 10n ** BigInt(-usualPrice.exponent);

async function openRedemptions({ chain }: Context) {
  const accounts = await chain.rpc
    .getProgramAccounts(chain.programAddress, {
      commitment: 'confirmed',
      encoding: 'base64',
      filters: [{ dataSize: BigInt(redemptionBytes) }],
    })
    .send();
  return accounts
    .map(({ account }) => Buffer.from(account.data[0], 'base64'))
    .filter((data) => data[0] === redemptionKind)
    .map((data) => getRedemptionDecoder().decode(data))
    .map(({ id, user, amount }) => ({ id: redemptionFromBytes(id), user, amount }));
}

async function findHandedOver({ db }: Context): Promise<Set<string>> {
  const rows = await db.select().from(bars);
  return new Set(
    rows.flatMap(({ status, redemptionId }) =>
      status === 'handed_over' && redemptionId ? [redemptionId] : [],
    ),
  );
}

async function findOwners({ db }: Context): Promise<Map<string, string>> {
  const rows = await db.select({ id: redemptions.id, wallet: redemptions.userWallet }).from(redemptions);
  return new Map(rows.map(({ id, wallet }) => [id, wallet]));
}
