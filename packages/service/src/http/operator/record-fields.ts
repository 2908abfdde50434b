import { pickupDigits, pickupTries } from '../../domain/pickup-code.js';
import { countInWords } from '../../domain/words.js';
import { about, gold, field as partnerField } from '../../views/fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';

/** What the fields of records mean to operators: those that partners see too, and what only operators see. */
export const recordField = {
  ...partnerField,
  ofPartner: about('Only those of this partner.', uuid),
  ofUser: about('Only those of this user.', `gu_${uuid}`),
  slot: about('Slot of the transaction.', 371_204_731),
  note: about(
    'A note, kept in the history and in the audit log. Must not contain KYC data.',
    'Bar 1042 is on its way',
  ),
  physicalGoldCommitted: about('Must be `false`: no gold has been set aside for the redemption.', false),

  // redemptions
  order: about('`asc`: oldest first, the default; `desc`: newest first.', 'asc'),
  actor: about(
    'Who changed the status: `operator:` or `key:` with an id, `indexer`, or `operator:command-line`.',
    `operator:${uuid}`,
  ),
  actorName: about("Name of that operator or of the partner's key; otherwise null.", 'Sana Malik'),
  age: about(
    'Whether it waits longer than a customer should: `late` after a day since the quote, `overdue` after three; null once it has ended.',
    'on_time',
  ),
  assigneeId: about('The operator who sees to it; null while none does. Others can still move it.', uuid),
  assigneeName: about('Name of that operator.', 'Sana Malik'),
  newAssigneeId: about('The operator who sees to it from now on; null for none.', uuid),
  insteadOf: about(
    'The operator who sees to it so far; left out or null while none does.',
    '019ca945-0a00-7c3e-9d61-4b8f2a7e5c11',
  ),
  assignableTo: {
    description:
      'Operators whom you can have see to it; empty for roles that may not, and once it has ended.',
  },
  assignedTo: about(
    'Only those that this operator sees to: an id, `me`, or `none` for those that no operator sees to.',
    'me',
  ),
  historyFrom: about('Previous status; null for the payment.', 'submitted'),
  availableActions: about(
    'Actions that are possible now: each is the last part of a path, `cancel-burn` that of `burn/cancel`.',
    ['ready'],
  ),
  customer: { description: 'Whose it is; null for roles that may not hand it over.' },
  idType: about('Kind of identity document; null if the partner named none.', 'cnic'),
  idNumber: about('Number of the identity document; null if the partner named none.', '42101-1234567-1'),
  idNumberMasked: about('Its last four characters; null if the partner named none.', '****67-1'),
  foundName: about('Name of the user; null if the KYC record cannot be read.', 'Ayesha Khan'),
  foundCountry: about('Country of the KYC record; null if it cannot be read.', 'PK'),
  searchedName: about('Words of the name; all of them must be in it.', 'Khan'),
  searchedNumber: about(
    'The whole number of an identity document: `id_number` of `kyc_data`.',
    '42101-1234567-1',
  ),
  moreFound: about('Whether more users match than are shown: search for more words.', false),
  bar: { description: 'The bar that is reserved or was handed over; null while there is none.' },
  pickup: { description: 'The state of its pickup code; null while it has none.' },
  pickupCode: about(`The ${countInWords(pickupDigits)} digits that the customer shows.`, '04711338'),
  codeIssuedAt: about('When the pickup code was issued.', '2026-03-01T12:00:00.000Z'),
  attemptsLeft: about('How often a code may still be tried.', pickupTries),
  codeLocked: about('Whether no try is left, so that another code has to be issued.', false),
  receiptIssuer: { description: 'Who issues the receipt; null while `KARAT_RECEIPT_ISSUER` is not set.' },
  issuerName: about('Name of the company.', 'Karat Vaults DMCC'),
  issuerAddress: about('Its address.', 'Almas Tower, Dubai, United Arab Emirates'),
  issuerNumber: about('Its number in the register of companies.', 'DMCC-123456'),
  receiptPartner: about('Name of the partner.', 'Acme Gold'),
  receiptAt: about('When that was; null if it was not yet.', '2026-03-01T12:00:00.000Z'),
  handedOverBy: about('Name of the operator who handed it over; null before.', null),
  receiptIssuedAt: about('When this receipt was made.', '2026-03-01T12:00:00.000Z'),
  refundTxHash: about('Transaction that returns, or returned, the tokens.', null),
  burnAnnouncedAt: about('When the burn of the tokens was announced; null while it is not.', null),
  burnDueAt: about('From when on the program allows it, and the keeper burns them.', null),
  burnTxHash: about('Transaction that burns, or burned, the tokens; null until then.', null),
  burnChangeTxHash: about(
    'Transaction of the announcement, or of its cancellation.',
    partnerField.txHash.examples[0],
  ),
  settlementKind: about('`refund` or `burn`.', 'refund'),
  settlementStatus: about(
    '`pending` until the transaction is on chain or can no longer land, then `confirmed`, `failed` or `expired`.',
    'confirmed',
  ),
  settlementAmount: gold('Tokens that leave escrow.', 0.380625),
  approvalId: about('The approval of its refund or burn that is waiting for a second operator.', null),

  // the audit log
  operatorId: about('Id of the operator, a UUID.', uuid),
  auditSeq: about('Number of the entry: 1, 2, 3, without gaps.', 42),
  auditMemberId: about('Id of the member of a partner who made it; null for anyone else.', null),
  auditMemberName: about('Name of the member; null for anyone else.', null),
  auditPartnerId: about('Id of the partner of the member; null for anyone else.', null),
  auditOperatorId: about(
    'Who made the change; null for the command line, for a failed sign-in, and for a key that a wallet minted.',
    uuid,
  ),
  auditOperatorName: about('Name of that operator.', 'Sana Malik'),
  auditAction: about('What was done.', 'redemption.ready'),
  auditObjectType: about('Kind of the thing that was changed.', 'redemption'),
  auditObjectId: about('Id of the object.', `red_${uuid}`),
  auditObjectName: about(
    "What people know it by: the name of a partner or operator, the serial of a bar, item and city of a redemption, the partner's own id of a user; null for all else.",
    '1 tola bar, Karachi',
  ),
  auditReason: about('The reason that the operator gave; null if none was given.', null),
  auditRequestId: about('`x-request-id` of the request; null for the command line.', uuid),
  auditPreviousHash: about('Hash of the previous entry, in hexadecimal digits.', '0'.repeat(64)),
  auditHash: about('SHA-256 of the previous hash and this entry.', 'c7'.repeat(32)),
  auditOk: about('Whether every entry is intact.', true),
  auditRows: about('Number of entries that are intact, from the first one on.', 42),
  auditHead: { description: 'The last entry, as the log itself records it; null if that record is lost.' },
  auditFirstBad: about('Number of the first entry that was changed or is missing.', 17),
};
