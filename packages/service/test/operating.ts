import { type Address, fetchEncodedAccount, type Instruction, type TransactionSigner } from '@solana/kit';
import { getMintDecoder } from '@solana-program/token';
import { sendInstructions } from '../src/chain/admin/seed.js';
import type { Clock } from '../src/clock.js';
import type { Config } from '../src/config.js';
import type { Context } from '../src/context.js';
import { type OperatorTransaction, operatorTransactions } from '../src/db/approvals/operator-transactions.js';
import { withFinality } from '../src/db/indexing/finality.js';
import type { RedemptionId, Uuid } from '../src/domain/ids.js';
import { type Harness, kitSigner, newWallet, type Wallet } from './harness.js';
import { startKarat } from './karat.js';
import type { KaratChain } from './karat-chain.js';
import { type Operators, startOperators } from './operators.js';

/** What a redemption of `givenRedemption` holds in escrow, base units. */
export const tokens = 380_625n;

/** What a process of the service may be given or not. */
export interface Otherwise {
  config?: Partial<Config>;
  clock?: Clock;
  keys?: Partial<Pick<Context['chain'], 'admin' | 'market' | 'operations' | 'guardian'>>;
  /** What it knows of the program's accounts. */
  program?: Context['chain']['program'];
}

/** What a test of `PUT /partners/{partner_id}/onchain` sends. */
export interface OnchainTerms {
  partnerId: Uuid;
  path: string;
  terms: {
    wallet_address: string;
    open_fee_bps: number;
    closed_fee_bps: number;
    update_authority: string;
    withdrawal_authority: string;
    executive_authorities: string[];
  };
  update: Wallet;
}

export type Operating = Awaited<ReturnType<typeof startOperating>>;

/**
 * The service with its indexer and operators over a node with the program, whose admin and guardian it may sign for.
 * Escrow holds 1,000 GOLD. Slots of 100 ms, so that confirmations are quick.
 */
export async function startOperating(config: Partial<Config> = {}) {
  const k = await startKarat({ ...{ slotMs: 100, redeems: true, indexes: true, signs: true }, config });
  const { chain, service: h, ready } = k;
  await chain.node.setTokenBalance(chain.addresses.escrowAuthority, chain.goldMint, 1_000_000_000n);
  const operators = await startOperators(h);
  const others: Operators[] = [];
  return {
    ...k,
    h,
    operators,
    ...readersOf(chain, h),
    /** Operators of another process of the service, over the same node and database. */
    async otherwise({
      config = {},
      keys = {},
      program = h.ctx.chain.program,
      clock = h.ctx.clock,
    }: Otherwise): Promise<Operators> {
      const chain = { ...h.ctx.chain, ...keys, program };
      const ctx = { ...h.ctx, config: { ...h.ctx.config, ...config }, chain, clock };
      const started = await startOperators({ ctx, secrets: h.secrets });
      others.push(started);
      return started;
    },
    /** How a partner that is not on chain yet is put there, each role another new wallet. */
    async givenTerms(): Promise<OnchainTerms> {
      const { partnerId, wallet } = await h.givenPartner();
      const [update, withdrawal, executive] = [newWallet(), newWallet(), newWallet()];
      const terms = {
        wallet_address: wallet.address,
        open_fee_bps: 50,
        closed_fee_bps: 100,
        update_authority: update.address,
        withdrawal_authority: withdrawal.address,
        executive_authorities: [executive.address],
      };
      return { partnerId, path: `/partners/${partnerId}/onchain`, update, terms };
    },
    /** Moves the chain on until nothing that was signed so far can land any more. */
    async moveOn(): Promise<void> {
      chain.node.warp({ seconds: 100 });
      await ready();
    },
    /** Sends the instructions of a wallet, which pays for them. */
    async sendAs(wallet: Wallet, make: (signer: TransactionSigner) => Instruction[]): Promise<string> {
      const payer = await kitSigner(wallet);
      return sendInstructions({ rpc: h.ctx.chain.rpc, payer, commitment: 'confirmed' }, make(payer));
    },
    async stop(): Promise<void> {
      for (const started of [...others, operators]) await started.close();
      await k.stop();
    },
  };
}

function readersOf(chain: KaratChain, h: Harness) {
  const { rpc } = h.ctx.chain;
  const rows = async (of: (row: OperatorTransaction) => boolean) =>
    (
      await h.ctx.db
        .select(withFinality(operatorTransactions, 'operator_transaction'))
        .from(operatorTransactions)
        .orderBy(operatorTransactions.createdAt)
    ).filter(of);
  return {
    /** Base units of GOLD: what escrow holds, what there is, and what a wallet holds. */
    async gold(owner?: Address) {
      return {
        escrow: await chain.balance(chain.addresses.escrowAuthority, chain.goldMint),
        supply: getMintDecoder().decode(chain.node.getAccount(chain.goldMint)?.data ?? new Uint8Array(0))
          .supply,
        owner: owner ? await chain.balance(owner, chain.goldMint) : 0n,
      };
    },
    /** Transactions of operators, oldest first. */
    rows,
    rowsOf: (redemptionId: RedemptionId) => rows((row) => row.redemptionId === redemptionId),
    /** Whether an account is there. */
    exists: async (address: Address) => (await fetchEncodedAccount(rpc, address)).exists,
    /** Has statements of the database fail by a trigger; the function that it gives ends that. */
    async failing(table: string, event: 'insert' | 'update'): Promise<() => Promise<void>> {
      const name = `fail_${table}_${event}`;
      await h.ctx.sql.unsafe(`
        create function ${name}() returns trigger language plpgsql as $$ begin raise 'the disk is full' using errcode = '53100'; end $$;
        create trigger ${name} before ${event} on ${table} for each row execute function ${name}();`);
      return async () => {
        await h.ctx.sql.unsafe(`drop function ${name} cascade`);
      };
    },
  };
}
