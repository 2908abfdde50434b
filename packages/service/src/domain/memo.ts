/** The purpose of a transaction of the service, from its memo: `karat|1|buy|trd_<uuid>|<amount in base units>`. */
export interface KaratMemo {
  kind: 'buy' | 'sell' | 'redeem';
  /** `trd_…` for trades, `red_…` for redemptions. */
  id: string;
  /** The known side: USDC of a buy, GOLD of a sell or a redemption, in base units. */
  amount: bigint;
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const pattern = new RegExp(
  `^karat\\|1\\|(?:(buy|sell)\\|(trd_${uuid})|(redeem)\\|(red_${uuid}))\\|([1-9]\\d{0,19})$`,
);
const maxU64 = 2n ** 64n - 1n;

export function formatMemo(memo: KaratMemo): string {
  return `karat|1|${memo.kind}|${memo.id}|${memo.amount}`;
}

/** Returns the memo, or undefined for any text that `formatMemo` cannot have written. */
export function parseMemo(text: string): KaratMemo | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const amount = BigInt(match[5] ?? '0');
  if (amount > maxU64) return undefined;
  return { kind: (match[1] ?? match[3]) as KaratMemo['kind'], id: match[2] ?? match[4] ?? '', amount };
}
