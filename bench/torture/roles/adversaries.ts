/** Those who want what is not theirs. What they must not get is a breach; what they have is compared at the end. */
import {
  findConfigPda,
  findRedemptionPda,
  getMintGoldInstructionAsync,
  getReclaimRedemptionInstructionAsync,
  getRedemptionDecoder,
  getSetMarketInstruction,
  getSettleRedemptionInstructionAsync,
  getTreasuryWithdrawInstructionAsync,
  MarketState,
  SettlementMode,
} from '@karat/program-client';
import { createSolanaRpc, type Instruction } from '@solana/kit';
import {
  goldOf,
  tokenAccountOf,
  usdcOf,
} from '../../../packages/service/src/chain/program/token-accounts.js';
import { type RedemptionId, redemptionBytes } from '../../../packages/service/src/domain/index.js';
import { kitSigner, type Wallet } from '../../../packages/service/test/harness.js';
import { sendAnew } from '../../../packages/service/test/karat-chain.js';
import type { Operation } from '../schedule.js';
import {
  type Acknowledged,
  type Act,
  isRefused,
  NothingToDo,
  pick,
  type Response,
  type Stage,
  signedTrade,
} from '../stage.js';
import { changed, redeem } from './customers.js';
import { aloneNote, codeOf, pickInState, seeOwn } from './staff.js';

/** A partner that tries the ids of others, changes what was quoted, and spends the same gold twice. */
export const hostile: Act = async (stage, operation, number) => {
  const { hostile: partner } = stage.world.people;
  const user = pick(partner.users, operation.user);
  const attempts: Record<string, () => Promise<unknown>> = {
    'reads its own': () => seeOwn(stage, partner, number),
    'reads those of others': () => readForeign(stage, operation.amount, number),
    'moves those of others': () => moveForeign(stage, operation.amount, number),
    'changes a quote': async () => {
      const trade = await signedTrade(stage, { partner, user }, 'buys', operation, number);
      return Promise.allSettled(changed(stage, { partner, user }, trade));
    },
    'submits five times': async () => {
      const { id, signed } = await signedTrade(stage, { partner, user }, 'sells', operation, number);
      const turns = [0, 1, 2, 3, 4];
      return Promise.allSettled(
        turns.map((turn) => stage.client(partner, number + turn).sells.submit(id, signed)),
      );
    },
    'spends the same gold twice': () => spendTwice(stage, { partner, user }, number),
  };
  const [name, attempt] = pick(Object.entries(attempts), operation.user >> 2);
  return [name, await attempt()];
};

/** Sells all its gold, and redeems with it, at once. */
async function spendTwice(stage: Stage, caller: Parameters<typeof redeem>[1], number: number) {
  const { chain } = stage.world;
  const { partner, user } = caller;
  const gold = Number(await chain.balance(user.wallet.address, chain.goldMint)) / 1_000_000;
  const sell = async () => {
    const body = { service_user_id: user.id, gold_amount: gold };
    const { sells } = stage.client(partner, number);
    const quote = await sells.quote(body);
    const signers = [await kitSigner(partner.wallet), await kitSigner(user.wallet)];
    return sells.submit(quote.trade_id, await sells.sign(quote, { ...body, signers }));
  };
  const outcomes = await Promise.allSettled([sell(), sell(), redeem(stage, caller, true, number)]);
  return outcomes.map(({ status }) => status);
}

/** Everything that another partner acknowledged to have. */
function foreignOne(stage: Stage, at: number): Acknowledged {
  const { hostile } = stage.world.people;
  return pick(
    stage.acknowledged.filter(({ partnerId }) => partnerId !== hostile.id),
    at,
  );
}

async function readForeign(stage: Stage, at: number, number: number): Promise<unknown> {
  const { hostile: partner } = stage.world.people;
  const { kind, id } = foreignOne(stage, at);
  const user = stage.caller(at).user.id;
  const of = kind === 'trade' ? 'trades' : 'redemptions';
  const paths = [
    `${of}/${id}`,
    `${of}/${id}/receipt`,
    `operations/${id}`,
    `users/${user}`,
    `users/${user}/balances`,
  ];
  const statuses: number[] = [];
  for (const path of paths) {
    const { status } = await stage.asPartner(partner, `GET /v1/${path}`, undefined, number);
    statuses.push(status);
    if (status < 400) stage.breaches.add(`the hostile partner could read ${path}`);
  }
  return statuses;
}

async function moveForeign(stage: Stage, at: number, number: number): Promise<unknown> {
  const { hostile: partner } = stage.world.people;
  const { kind, id } = foreignOne(stage, at);
  const karat = stage.client(partner, number);
  const { user } = stage.caller(at);
  const own = await signedTrade(
    stage,
    { partner, user: pick(partner.users, at) },
    'buys',
    { amount: 1 },
    number,
  );
  const attempts: Record<string, () => Promise<unknown>> = {
    'quote for the customer of another': () => karat.buys.quote({ service_user_id: user.id, usdc_amount: 1 }),
    'submit its own transaction as that of another': () =>
      kind === 'trade' ? karat.buys.submit(id, own.signed) : karat.redemptions.submit(id, own.signed),
    ...(kind === 'redemption' && {
      'cancel the redemption of another': () => karat.redemptions.cancel(id),
    }),
  };
  const found: Record<string, boolean | undefined> = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    found[name] = await isRefused(attempt());
    if (found[name] === false) stage.breaches.add(`the hostile partner could ${name}, ${id}`);
  }
  return found;
}

/** Has one of the keys that the service signs with, and sends what it likes to the node. */
export const thief: Act = async (stage, { user, amount }) => {
  const { chain, people } = stage.world;
  const { programId: programAddress } = chain.config;
  const [config] = await findConfigPda({ programAddress });
  const { goldMint, addresses } = chain;
  const gold = goldOf(chain);
  const own = tokenAccountOf(people.thief.address, gold);
  const keys = { service: chain.service, operations: chain.operations, market: chain.market };
  const [name, stolen] = pick(Object.entries(keys), user);
  const signer = await kitSigner(stolen);
  const mint = () =>
    getMintGoldInstructionAsync(
      {
        admin: signer,
        treasuryGold: tokenAccountOf(addresses.treasuryAuthority, gold),
        goldMint,
        amount: 1_000_000n,
      },
      { programAddress },
    );
  const withdraw = () =>
    getTreasuryWithdrawInstructionAsync(
      {
        admin: signer,
        treasuryAuthority: addresses.treasuryAuthority,
        treasuryToken: tokenAccountOf(addresses.treasuryAuthority, usdcOf(chain)),
        destination: tokenAccountOf(people.thief.address, usdcOf(chain)),
        mint: chain.usdcMint,
        tokenProgram: usdcOf(chain).program,
        amount: 1_000_000n,
      },
      { programAddress },
    );
  const settle = () => settleTo(stage, pick(stage.redemptions, amount).id, stolen, own);
  const [what, make] = pick(Object.entries({ mint, withdraw, settle }), amount);
  // What the market key may do, and the keeper undoes.
  const closes = name === 'market' && amount % 3 === 0;
  const instruction: Instruction = closes
    ? getSetMarketInstruction(
        { config, authority: signer, marketState: MarketState.Closed },
        { programAddress },
      )
    : await make();
  const seeder = { rpc: createSolanaRpc(chain.node.rpcUrl), payer: signer, commitment: 'confirmed' } as const;
  const outcome = await sendAnew(seeder, instruction).then(
    () => 'landed',
    (error: unknown) => String(error).slice(0, 100),
  );
  if (outcome === 'landed' && !closes) stage.breaches.add(`a thief with the ${name} key could ${what}`);
  return [name, closes ? 'close the market' : what, outcome];
};

/** Refunds a redemption to an account of the thief. */
async function settleTo(
  stage: Stage,
  id: string,
  operations: Wallet,
  destination: ReturnType<typeof tokenAccountOf>,
) {
  const { chain } = stage.world;
  const open = await openOnChain(stage, id);
  return getSettleRedemptionInstructionAsync(
    {
      operations: await kitSigner(operations),
      redemption: open.address,
      rentPayer: open.data.rentPayer,
      escrowGold: tokenAccountOf(chain.addresses.escrowAuthority, goldOf(chain)),
      goldMint: chain.goldMint,
      destination,
      id: open.data.id,
      mode: SettlementMode.Refund,
    },
    { programAddress: chain.config.programId },
  );
}

async function openOnChain({ world: { chain } }: Stage, id: string) {
  const { programId: programAddress } = chain.config;
  const [address] = await findRedemptionPda({ id: redemptionBytes(id as RedemptionId) }, { programAddress });
  const account = chain.node.getAccount(address);
  if (!account?.data.length) throw new NothingToDo();

  return { address, data: getRedemptionDecoder().decode(account.data) };
}

/** A clerk without a second person: guesses codes, hands over without one, approves their own requests. */
export const loneClerk: Act = async (stage, operation, number) => {
  const { lone } = stage.world.people.tokens;
  const post = (path: string, body: object) => stage.operate(lone, `POST ${path}`, body, number);
  const at = operation.amount;
  const attempts: Record<string, () => Promise<unknown>> = {
    'hand over without a code': async () => {
      const id = await madeReady(stage, operation, number);
      const requested = await post(`/redemptions/${id}/collect`, { without_code: { reason: aloneNote } });
      return approveOwn(stage, requested, `hand over the bar of ${id}`, number);
    },
    'guess a code': async () => {
      const id = await madeReady(stage, operation, number);
      const code = String(operation.amount).padStart(8, '0');
      const { status } = await post(`/redemptions/${id}/collect`, { pickup_code: code });
      if (status === 200) stage.breaches.add(`a clerk alone guessed the code of ${id}`);
      return status;
    },
    'refund what was cancelled': async () => {
      const { id } = await pickInState(stage, { status: 'cancelled', at }, number);
      return approveOwn(stage, await post(`/redemptions/${id}/refund`, {}), `refund ${id}`, number);
    },
    'make another clerk': async () => {
      const { status } = await post('/operators', {
        email: 'own@karat.test',
        name: 'Own',
        role: 'fulfilment',
      });
      if (status < 300) stage.breaches.add('a clerk alone made another operator');
      return status;
    },
    'take a bar off the books': async () => {
      const bars = await stage.operate(lone, 'GET /bars?status=in_stock', undefined, number);
      const { bar_id: bar } = pick<{ bar_id: string }>(bars.body?.bars ?? [], operation.amount);
      const change = { status: 'withdrawn', reason: aloneNote };
      const { status } = await stage.operate(lone, `PATCH /bars/${bar}`, change, number);
      if (status === 200) stage.breaches.add(`a clerk alone withdrew bar ${bar}`);
      return status;
    },
  };
  const [name, attempt] = pick(Object.entries(attempts), operation.user);
  return [name, await attempt()];
};

/** Prepares a redemption and makes it ready, which takes one person. Returns its id, whatever came of that. */
async function madeReady(stage: Stage, { amount, twice }: Operation, number: number): Promise<string> {
  const { lone } = stage.world.people.tokens;
  const status = twice ? 'submitted' : 'ready';
  const { id } = await pickInState(stage, { status, at: amount }, number);
  const bar = { bar_serial: `T${amount % 400}` };
  for (const step of ['prepare', 'ready'])
    await stage.operate(lone, `POST /redemptions/${id}/${step}`, bar, number);
  return id;
}

/** Approves what a clerk requested alone, as the same clerk. */
async function approveOwn(stage: Stage, requested: Response, what: string, number: number): Promise<unknown> {
  if (requested.status === 200) stage.breaches.add(`a clerk could ${what} alone`);
  const approval = requested.body?.approval_id;
  if (!approval) return requested.status;
  const { lone } = stage.world.people.tokens;
  const approved = await stage.operate(lone, `POST /approvals/${approval}/approve`, {}, number);
  if (approved.status === 200) stage.breaches.add(`a clerk could ${what}, and approved that`);
  return [requested.status, approved.status];
}

/** Redeems, then asks for everything at once: the bar at the counter, the cancellation, the refund, and the tokens from the program. */
export const greedyHolder: Act = async (stage, operation, number) => {
  const { partners, greedy: user, tokens } = stage.world.people;
  const partner = pick(partners, 0);
  const karat = stage.client(partner, number);
  const own = (await karat.redemptions.list({ service_user_id: user.id } as never).take(50)) as {
    redemption_id: string;
    status: string;
  }[];
  const open = own.filter(({ status }) => !['failed', 'lapsed', 'quoted'].includes(status));
  if (open.length === 0 || operation.amount % 3 === 0)
    return redeem(stage, { partner, user }, operation.twice, number);
  const { redemption_id: id, status } = pick(open, operation.user);
  const apiKey = partner.apiKeys[0] ?? '';
  const press = async (step: string, body: object, turn: number) =>
    (await stage.operate(tokens.clerk, `POST /redemptions/${id}/${step}`, body, turn)).status;
  const reclaim = async () => {
    await reclaimAs(stage, id, user.wallet);
    stage.breaches.add(`${user.id} reclaimed ${id} before its time`);
  };
  const code = await codeOf(stage, apiKey, id, number);
  const outcomes = await Promise.allSettled([
    press('collect', { pickup_code: code }, number),
    press('collect', { pickup_code: code }, number + 1),
    karat.redemptions.cancel(id),
    press('cancel', { physical_gold_committed: false }, number + 1),
    press('refund', {}, number),
    ...(operation.twice ? [reclaim()] : []),
  ]);
  return [id, status, ...outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'))];
};

/** Takes the tokens of a redemption back from the program, as its user may after the time that the redemption has. */
async function reclaimAs(stage: Stage, id: string, wallet: Wallet): Promise<void> {
  const { chain } = stage.world;
  const open = await openOnChain(stage, id);
  const signer = await kitSigner(wallet);
  const instruction = await getReclaimRedemptionInstructionAsync(
    {
      user: signer,
      redemption: open.address,
      rentPayer: open.data.rentPayer,
      escrowGold: tokenAccountOf(chain.addresses.escrowAuthority, goldOf(chain)),
      goldMint: chain.goldMint,
      destination: tokenAccountOf(wallet.address, goldOf(chain)),
      id: open.data.id,
    },
    { programAddress: chain.config.programId },
  );
  await sendAnew(
    { rpc: createSolanaRpc(chain.node.rpcUrl), payer: signer, commitment: 'confirmed' },
    instruction,
  );
}
