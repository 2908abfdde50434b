import { decodeTokenMetadata, type TokenMetadata } from '../../chain/admin/gold-mint.js';
import { readNamed } from '../../chain/program/program-snapshot.js';
import type { Context } from '../../context.js';
import { nodeUnavailable, unavailable } from '../../errors.js';
import { lookAtMostEvery } from '../../runtime/look.js';

/** What wallets and explorers read at the uri of a token, as Metaplex's standard has it. */
export interface TokenDocument {
  name: string;
  symbol: string;
  description: string;
  /** Address of the logo. */
  image: string;
}

const readWithinMs = 3_000;
/** The admin changes it once in years. */
const keptMs = 60_000;

/**
 * Returns what reads the document about GOLD: what the mint on chain says of itself, with the logo beside the uri that it names;
 * once a minute at most. It throws `service_unavailable` while the node does not respond, and when the mint has no metadata.
 */
export const tokenDocumentReader = (ctx: Pick<Context, 'chain'>): (() => Promise<TokenDocument>) =>
  lookAtMostEvery(keptMs, async () => toDocument(await readMetadata(ctx.chain)));

async function readMetadata(chain: Context['chain']): Promise<TokenMetadata> {
  const named = await readNamed(chain, ({ goldMint }) => [goldMint], AbortSignal.timeout(readWithinMs)).catch(
    (cause: unknown) => {
      throw nodeUnavailable('The Solana node does not report the mint of GOLD; try again shortly.', cause);
    },
  );
  const [mint] = named.accounts;
  const metadata = mint && decodeTokenMetadata(Buffer.from(mint.data[0], 'base64'));
  if (!metadata) throw unavailable('The mint of GOLD has no metadata.');
  return metadata;
}

function toDocument({ name, symbol, uri, additional }: TokenMetadata): TokenDocument {
  const issuer = additional.issuer ? ` Issued by ${additional.issuer}.` : '';
  const logo = 'gold.svg';
  return {
    name,
    symbol,
    description: `One ${symbol} stands for one troy ounce (31.1034768 g) of fine gold in a vault.${issuer}`,
    image: URL.canParse(logo, uri) ? new URL(logo, uri).href : `/token/${logo}`,
  };
}
