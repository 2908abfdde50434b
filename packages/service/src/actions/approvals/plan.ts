import type { Config } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import type { Role } from '../../chain/build/prepare-transaction.js';
import type { Context } from '../../context.js';
import type { Approval } from '../../db/approvals/approvals.js';
import type { NewOperatorTransaction } from '../../db/approvals/operator-transactions.js';
import type { Bar } from '../../db/bars/bars.js';
import type { Denomination } from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import type { OperatorRow } from '../../db/operators/operators.js';
import type { PartnerWallet } from '../../db/partners/partner-wallets.js';
import type { Burn } from '../../db/redemptions/burns.js';
import type { Redemption } from '../../db/redemptions/redemptions.js';
import type { AuditAction } from '../../domain/audit.js';
import type { Operator } from '../../domain/operator.js';
import type { ChainStatus } from '../../domain/program-status.js';
import type { Address, TxSignature } from '../../domain/solana.js';
import type { AppError } from '../../errors.js';
import type { Change } from '../audit.js';
import type { AddedBars } from '../bars/add-bars.js';
import type { ChangeTx } from '../change.js';
import type { KnownLimits } from '../limits/read-limits.js';
import type { KnownPartner } from '../partners/get-partner.js';
import type { OnChain } from '../partners/read-on-chain.js';
import type { ChainSettings } from '../program/settings.js';
import type { IssuedPickup } from '../redemptions/pickup-code.js';

/** An approval that is given with what it allows. */
export interface Approved {
  approver: Operator;
  approval: Approval;
}

/** A request of an operator that moves value or power, found to be possible now. */
export interface PlanFacts {
  /** What it is in the audit log. */
  action: AuditAction;
  /** Default: what the action is named after. */
  objectType?: string;
  objectId: string;
  /** Exactly what will be done, in the fields of the API: an approver sees this, and it is all that is needed to carry it out later. */
  request: Record<string, unknown>;
  /** What the change replaces, in the same fields; null when there is nothing yet. */
  before: Record<string, unknown> | null;
  /** SHA-256 of the state of the object that this was decided on. */
  objectHash: Uint8Array;
  /** Whether it needs a second operator if the configuration requires one. */
  takesTwo: boolean;
  /** The approval that it is carried out by. */
  approved?: Approved;
}

/** A change of the database. */
export interface DatabasePlan<Name extends keyof Objects = keyof Objects> extends PlanFacts {
  in: 'database';
  /** Queries the nodes, which is not done in a transaction. Throws when it may not be carried out. */
  look?(): Promise<void>;
  /**
   * Locks the object, then checks whether the change can be made, and throws why not. `state` is JSON of the object as far as it
   * must not change until the approval.
   */
  describe(
    tx: Tx,
  ): Promise<Pick<PlanFacts, 'objectId' | 'request' | 'before' | 'takesTwo'> & { state: unknown }>;
  /** Makes the change, and writes it to the audit log as its last statement. */
  apply(change: ChangeTx): Promise<Changed<Name>>;
}

/** What changes of the database are about. */
export interface Objects {
  partner: KnownPartner;
  wallet: PartnerWallet;
  denomination: Denomination;
  operator: OperatorRow;
  redemption: Redemption;
  bar: Bar;
  bars: AddedBars;
  pickup: IssuedPickup;
  limits: KnownLimits;
}

/** The object of a change, as the change left it. */
export type Changed<Name extends keyof Objects = keyof Objects> = { [One in Name]: Pick<Objects, One> }[Name];

/** How a transaction on chain is made of its plan, which is plain data: `operations.ts` has these steps by action. */
export interface ChainSteps<Planned> {
  /** Returns what is to be sent, as it was planned. Throws when it may not be carried out. */
  build(ctx: Context, plan: Planned): Promise<Operation>;
  /**
   * Looks once more whether it may be done, in the transaction that writes it down, and writes what goes with it. Throws when
   * it may not any more.
   */
  recheck?(ctx: Context, change: ChangeTx, plan: Planned): Promise<void>;
  /** Reads what became of what it was about, once the chain has confirmed it in `slot`. */
  readResult?(ctx: Context, plan: Planned, slot: bigint): Promise<Result>;
  /** Returns the error to throw in place of what the chain refused it with; undefined: that itself. */
  explain?(ctx: Context, plan: Planned, error: AppError): Promise<AppError | undefined>;
}

/** What an operator wants to be done on chain, ready to be signed. */
export interface Operation {
  /** Whose keys sign it. */
  signedBy: readonly Role[];
  /** What it was decided on; default: what this process knows of it. */
  config?: Config;
  /** Who pays; default: as `payerOf` finds it. */
  payer?: Address | undefined;
  row: Pick<NewOperatorTransaction, 'kind'> &
    Partial<Pick<NewOperatorTransaction, 'redemptionId' | 'partnerId' | 'amount'>>;
  /** None when the chain is as requested already. */
  instructions: Instruction[];
  /** For the audit log; `tx_hash` is added to `after`. */
  change: Pick<Change, 'before' | 'after' | 'reason'>;
  /** What it was about, where nothing is sent. */
  unsent?: Result;
}

/** The partner, status, settings or burn as the chain has them now, of an operation that is about them. */
interface Result {
  onChain?: OnChain;
  status?: ChainStatus;
  settings?: ChainSettings;
  /** Null: it is announced no more. */
  burn?: Burn | null;
}

/** What became of an operation. */
export type Outcome =
  /** The chain has it, confirmed. `txHash` is null where the chain was as requested already. */
  | ({ kind: 'done'; txHash: TxSignature | null } & Result)
  /** This process does not hold every key that it takes: `signers` sign `transaction` and send it in time. */
  | { kind: 'unsigned'; transaction: Uint8Array; signers: Address[]; expiresAt: Date };

export type Done = Extract<Outcome, { kind: 'done' }>;
