import { about, gold, field as partnerField } from '../partner/fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';

/** What the fields of records mean to operators: those that partners see too, and what only operators see. */
export const recordField = {
  ...partnerField,
  ofPartner: about('Only of this partner.', uuid),
  ofUser: about('Only of this user.', `gu_${uuid}`),
  final: about('Whether the chain can no longer undo the transaction.', true),
  slot: about('Slot of the chain that carries the transaction.', 371_204_731),
  failureReason: about('Why the chain refused the transaction; null when it did not.', null),
  note: about('A note; kept in the history and in the audit log. No KYC data.', 'Bar 1042 is on its way'),
  physicalGoldCommitted: about('Has to be `false`: no gold was set aside for it.', false),

  // redemptions
  order: about('`asc`: oldest first, the default; `desc`: newest first.', 'asc'),
  actor: about(
    'Who moved it: `operator:` or `key:` with an id, `indexer`, or `operator:command-line`.',
    `operator:${uuid}`,
  ),
  actorName: about("Name of that operator or of the partner's key; null for all others.", 'Sana Malik'),
  historyFrom: about('Status before; null for the payment.', 'submitted'),
  availableActions: about('What you can do with it now: each is the last part of a path.', ['ready']),
  refundTxHash: about('Transaction that returns, or returned, the tokens.', null),
  burnTxHash: about('Transaction that burns, or burned, the tokens.', null),
  settlementKind: about('`refund` or `burn`.', 'refund'),
  settlementStatus: about(
    '`pending` until the chain has the transaction or can no longer take it, then `confirmed`, `failed` or `expired`.',
    'confirmed',
  ),
  settlementAmount: gold('Tokens that leave escrow.', 0.380625),
  approvalId: about('An approval of its refund or burn that waits for a second person.', null),

  // the audit log
  operatorId: about('Id of the operator, a UUID.', uuid),
  auditSeq: about('Number of the entry: 1, 2, 3, without gaps.', 42),
  auditOperatorId: about(
    'Who made the change; null for the command line, for a failed sign-in, and for a key that a wallet minted.',
    uuid,
  ),
  auditOperatorName: about('Name of that operator.', 'Sana Malik'),
  auditAction: about('What was done.', 'redemption.ready'),
  auditObjectType: about('Kind of the thing that was changed.', 'redemption'),
  auditObjectId: about('Its id.', `red_${uuid}`),
  auditReason: about('The reason that the operator gave; null when none was given.', null),
  auditRequestId: about('`x-request-id` of the request; null for the command line.', uuid),
  auditPreviousHash: about('Hash of the entry before, in hexadecimal digits.', '0'.repeat(64)),
  auditHash: about('SHA-256 of the hash before and of this entry.', 'c7'.repeat(32)),
  auditOk: about('Whether every entry is as it was written.', true),
  auditRows: about('Entries up to which all is well.', 42),
  auditHead: { description: 'The last entry by the account of the log itself; null when it has lost that.' },
  auditFirstBad: about('Number of the first entry that is not as it was written, or is missing.', 17),
};
