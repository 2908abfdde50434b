import type { Denomination } from '../../db/catalogue/denominations.js';
import type { Tx } from '../../db/client.js';
import type { OperatorRow } from '../../db/operators/operators.js';
import type { PartnerWallet } from '../../db/partners/partner-wallets.js';
import type { Redemption } from '../../db/redemptions/redemptions.js';
import type { AuditAction, ChangedBy } from '../../domain/audit.js';
import type { ChainStatus } from '../../domain/program-status.js';
import type { Address, TxSignature } from '../../domain/solana.js';
import type { Settle } from '../complete-idempotency-key.js';
import type { KnownLimits } from '../limits/read-limits.js';
import type { KnownPartner } from '../partners/get-partner.js';
import type { OnChain } from '../partners/read-on-chain.js';

/** What is written down of an approval in the transaction that writes down what it allows. */
export interface Decision {
  /** Of the state that was approved; undefined for what needs no approval. */
  objectHash: Uint8Array | undefined;
  /** Marks the approval as approved. Before the first audit row, and after the object is locked. */
  take(tx: Tx): Promise<void>;
  /** Writes the approval to the audit log. */
  record(tx: Tx): Promise<void>;
}

/** What needs no approval. */
export const noDecision: Decision = { objectHash: undefined, take: async () => {}, record: async () => {} };

/** A request of an operator that moves value or power, found to be possible now. */
export interface Plan {
  /** One of those that `planApproved` knows. */
  action: AuditAction;
  objectType: string;
  objectId: string;
  /** Exactly what will be done, in the fields of the API: an approver sees this, and it is what is carried out. */
  request: Record<string, unknown>;
  /** What the change replaces, in the same fields; null when there is nothing yet. */
  before: Record<string, unknown> | null;
  /** SHA-256 of the state of the object that this was decided on. */
  objectHash: Uint8Array;
  /** Whether it needs a second operator if the configuration requires one. */
  takesTwo: boolean;
  /** Does it, and keeps the response of its request by `settle`. */
  carryOut(by: ChangedBy, decision: Decision, settle: Settle<Outcome>): Promise<Outcome>;
}

/** What became of an operation. */
export type Outcome =
  /** The chain has it, confirmed; with it the partner or the status as the chain has it now, if it was about one. */
  | { kind: 'done'; txHash: TxSignature; onChain?: OnChain; status?: ChainStatus }
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
  | { limits: KnownLimits }
  | { status: ChainStatus };
