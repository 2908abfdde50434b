import type { Config } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import type { Role } from '../../chain/build/prepare-transaction.js';
import type { NewOperatorTransaction } from '../../db/approvals/operator-transactions.js';
import type { Bar } from '../../db/bars/bars.js';
import type { Denomination } from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import type { OperatorRow } from '../../db/operators/operators.js';
import type { PartnerWallet } from '../../db/partners/partner-wallets.js';
import type { Burn } from '../../db/redemptions/burns.js';
import type { Redemption } from '../../db/redemptions/redemptions.js';
import type { AuditAction } from '../../domain/audit.js';
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

/** A request of an operator that moves value or power, found to be possible now. */
interface PlanFacts {
  /** A key of `operations`. */
  action: AuditAction;
  /** Default: what the action is named after. */
  objectType?: string;
  objectId: string;
  /** Exactly what will be done, in the fields of the API: an approver sees this, and it is what is carried out. */
  request: Record<string, unknown>;
  /** What the change replaces, in the same fields; null when there is nothing yet. */
  before: Record<string, unknown> | null;
  /** SHA-256 of the state of the object that this was decided on. */
  objectHash: Uint8Array;
  /** Whether it needs a second operator if the configuration requires one. */
  takesTwo: boolean;
}

/** A change of the database. */
export interface DatabasePlan extends PlanFacts {
  in: 'database';
  /** Queries the nodes, which is not done in a transaction. Throws when it may not be carried out. */
  look?(): Promise<void>;
  /** Locks the object, then checks whether the change can be made, and throws why not. */
  describe(tx: Tx): Promise<ChangeFacts>;
  /** Makes the change, and writes it to the audit log as its last statement. */
  apply(change: ChangeTx): Promise<Changed>;
}

/** What an approver of a change of the database sees, and the state that it is approved for. */
export interface ChangeFacts {
  objectId: string;
  /** What the change does, in the fields of the API, and all that is needed to carry it out later. */
  request: Record<string, unknown>;
  before: Record<string, unknown> | null;
  /** JSON of the object as far as it must not change until the approval. */
  state: unknown;
  /** Whether the change moves power: it then needs a second operator if the configuration requires one. */
  takesTwo: boolean;
}

/** A transaction on chain. */
export interface ChainPlan extends PlanFacts {
  in: 'chain';
  /** Returns what is to be sent, as it was planned. Throws when it may not be carried out. */
  build(): Promise<Operation>;
}

export type Plan = DatabasePlan | ChainPlan;

/** What an operator wants to be done on chain, decided and ready. */
export interface Operation {
  /** Whose keys sign it. */
  signedBy: readonly Role[];
  /** What it was decided on; default: what this process knows of it. */
  config?: Config;
  /** Who pays; default: as `payerOf` finds it. */
  payer?: Address | undefined;
  row: Omit<NewOperatorTransaction, 'txSignature' | 'lastValidBlockHeight' | 'operatorId'>;
  /** None when the chain is as requested already. */
  instructions: Instruction[];
  /** The entry of the audit log; `tx_hash` is added to `after`. */
  change: Change;
  /** Looks once more whether it may be done, in the transaction that writes it down. Throws when it may not any more. */
  recheck(change: ChangeTx): Promise<void>;
  /** Reads what it was about, where nothing is sent. */
  readUnsent?(tx: Tx): Promise<Changed>;
  /** Reads what became of what it was about, once the chain has confirmed it in `slot`. */
  readResult?(
    slot: bigint,
  ): Promise<
    { onChain: OnChain } | { status: ChainStatus } | { settings: ChainSettings } | { burn: Burn | null }
  >;
  /** Returns the error to throw in place of what the chain refused it with; undefined: that itself. */
  explain?(error: unknown): Promise<AppError | undefined>;
}

/** What became of an operation. */
export type Outcome =
  /** The chain has it, confirmed; with it the partner, status, settings or burn as the chain has them now, if it was about them. */
  | {
      kind: 'done';
      txHash: TxSignature;
      onChain?: OnChain;
      status?: ChainStatus;
      settings?: ChainSettings;
      /** Null: it is announced no more. */
      burn?: Burn | null;
    }
  /** This process does not hold every key that it takes: `signers` sign `transaction` and send it in time. */
  | { kind: 'unsigned'; transaction: Uint8Array; signers: Address[]; expiresAt: Date }
  /** The database has it. */
  | { kind: 'changed'; changed: Changed }
  /** Another operator has to agree first. */
  | { kind: 'approval'; approvalId: string; expiresAt: Date };

/** The object of a change, as the change left it. */
export type Changed =
  | { partner: KnownPartner }
  | { wallet: PartnerWallet }
  | { denomination: Denomination }
  | { operator: OperatorRow }
  | { redemption: Redemption }
  | { bar: Bar }
  | { bars: AddedBars }
  | { pickup: IssuedPickup }
  | { limits: KnownLimits }
  | { status: ChainStatus }
  | { settings: ChainSettings };
