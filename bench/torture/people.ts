/** Who takes part: partners with their customers, those who work for Karat, and those who want what is not theirs. */
import { randomBytes } from 'node:crypto';
import { insertBars } from '../../packages/service/src/db/bars/bars.js';
import { insertDenomination } from '../../packages/service/src/db/catalogue/denominations.js';
import type { Tx } from '../../packages/service/src/db/client.js';
import { insertOperatorToken } from '../../packages/service/src/db/operators/operator-tokens.js';
import { insertOperator } from '../../packages/service/src/db/operators/operators.js';
import { apiKeys } from '../../packages/service/src/db/schema.js';
import { insertEndpoint } from '../../packages/service/src/db/webhooks/webhook-endpoints.js';
import { hashApiKey, newId, newUuid } from '../../packages/service/src/domain/index.js';
import type { OperatorRole } from '../../packages/service/src/domain/operator.js';
import { newOperatorToken } from '../../packages/service/src/domain/operator-token.js';
import { hashSecret } from '../../packages/service/src/domain/session.js';
import { newWallet, type Wallet } from '../../packages/service/test/harness.js';
import type { KaratChain } from '../../packages/service/test/karat-chain.js';
import { tola } from '../../packages/service/test/redeeming.js';
import { insertPartners, newPartner, type Partner, withDatabase } from '../world.js';

const usersOfEach = 4;
/** Base units. */
export const funding = { usdc: 1_000_000_000_000n, gold: 20_000_000n };
const vaultFunding = { usdc: 1_000_000_000_000n, gold: 500_000_000n };

/** The tokens of operators, by who has them. */
export interface OperatorTokens {
  clerk: string;
  /** Approves what the clerk requests, and nothing else. */
  second: string;
  /** Acts alone. */
  lone: string;
}

export interface People {
  /** The partners that do what they should, then the hostile one. */
  partners: Partner[];
  hostile: Partner;
  /** A customer of the first partner, who wants the bar and the tokens. */
  greedy: Partner['users'][number];
  /** Wallets of the thief of a key, which have no role. */
  thief: Wallet;
  /** Keys of the tradebook API, by partner. */
  vaultKeys: Map<string, string>;
  tokens: OperatorTokens;
}

/** Puts partners on the chain and into the database, with what operators would enter. `url`: where webhooks go. */
export async function invite(chain: KaratChain, databaseUrl: string, url: string): Promise<People> {
  const partners = [newPartner(usersOfEach, 1), newPartner(usersOfEach, 1), newPartner(usersOfEach, 1)];
  const [first, , hostile] = partners;
  const greedy = first?.users.at(-1);
  if (!hostile || !greedy) throw new Error('there are three partners with customers');
  for (const partner of partners) await putOnChain(chain, partner);
  const thief = newWallet();
  await chain.fund(thief.address, funding.usdc);
  await chain.node.setTokenBalance(thief.address, chain.goldMint, funding.gold);
  chain.node.airdrop(thief.address, 10_000_000_000n);
  await insertPartners(databaseUrl, partners);
  const at = new Date();
  const vaultKeys = new Map(
    partners.map(
      ({ id }) => [id, `service_tradebook_${randomBytes(32).toString('hex')}`] as [string, string],
    ),
  );
  const tokens = await withDatabase(databaseUrl, ({ db }) =>
    db.transaction(async (tx) => {
      await insertStock(tx, at);
      for (const { id: partnerId, wallet } of partners) {
        await insertEndpoint(tx, { ...endpoint(url, at), partnerId });
        await tx.insert(apiKeys).values({
          ...{ id: newUuid(), surface: 'tradebook', partnerId, walletAddress: wallet.address },
          ...{ name: 'vault', hash: hashApiKey(vaultKeys.get(partnerId) ?? ''), createdAt: at },
          scope: 'PARTNER_EXECUTIVE_AUTHORITY',
        });
      }
      return {
        clerk: await insertOperatorWithToken(tx, 'clerk', at),
        second: await insertOperatorWithToken(tx, 'second', at),
        lone: await insertOperatorWithToken(tx, 'lone', at),
      };
    }),
  );
  return { partners, hostile, greedy, thief, vaultKeys, tokens };
}

async function putOnChain(chain: KaratChain, partner: Partner): Promise<void> {
  const integrator = await chain.addPartner({ partnerId: partner.id, wallet: partner.wallet.address });
  await chain.node.setTokenBalance(integrator, chain.usdcMint, vaultFunding.usdc);
  await chain.node.setTokenBalance(integrator, chain.goldMint, vaultFunding.gold);
  for (const { wallet } of partner.users) {
    await chain.fund(wallet.address, funding.usdc);
    await chain.node.setTokenBalance(wallet.address, chain.goldMint, funding.gold);
    chain.node.airdrop(wallet.address, 1_000_000_000n);
  }
}

/** Bars of the one denomination, and what backs the tokens. */
async function insertStock(tx: Tx, at: Date): Promise<void> {
  await insertDenomination(tx, tola, at);
  const bar = { refiner: 'Valcambi', fineness: '999.9', denominationId: tola.id, city: tola.city };
  const small = Array.from({ length: 400 }, (_, n) => ({ ...bar, serial: `T${n}`, weightG: tola.weightG }));
  const large = Array.from({ length: 200 }, (_, n) => ({ ...bar, serial: `K${n}`, weightG: '1000' }));
  await insertBars(tx, [...small, ...large], at);
}

async function insertOperatorWithToken(tx: Tx, name: string, at: Date): Promise<string> {
  const token = newOperatorToken();
  const operatorId = newUuid();
  const role: OperatorRole = 'fulfilment';
  const times = { createdAt: at, updatedAt: at };
  const account = { id: operatorId, email: `${name}@karat.test`, name, role };
  await insertOperator(tx, { ...account, ...times, passwordHash: '$argon2id$none' });
  const expiresAt = new Date(at.getTime() + 86_400_000);
  const hash = hashSecret(token);
  await insertOperatorToken(tx, {
    id: newUuid(),
    operatorId,
    name: 'torture',
    hash,
    createdAt: at,
    expiresAt,
  });
  return token;
}

const endpoint = (url: string, at: Date) => ({
  ...{ id: newId('we'), url, types: null, description: null, status: 'active' as const },
  ...{ secret: `whsec_${Buffer.alloc(24).toString('base64')}`, previousSecret: null, previousUntil: null },
  ...{ plannedSequence: 0n, failingSince: null, createdAt: at, updatedAt: at },
});
