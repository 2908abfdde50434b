import { about } from '../../views/fields.js';
import { recordField } from './record-fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const at = '2026-03-01T12:00:00.000Z';

/** What the fields mean of operations on chain, their approvals, and the state of the program. */
export const operationField = {
  approvalId: about('Id of the pending approval.', uuid),
  approvalExpiresAt: about('When the approval expires, 24 hours after the request.', at),
  transaction: about(
    'Unsigned legacy transaction, base64: its signers must sign it unchanged and send it. Wrapped in another transaction, it could land too late, next to a second one.',
    'AQAAAAAAAAAA',
  ),
  signers: about('Keys that must still sign.', ['8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD']),
  transactionExpiresAt: about('When the transaction can no longer land, after about a minute.', at),
  approvedExample: { redemption_id: `red_${uuid}`, refund_tx_hash: recordField.txHash.examples[0] },
  waitingExample: { approval_id: uuid, expires_at: at },
  action: about(
    'What was requested: `redemption.refund`, `redemption.burn`, `redemption.cancel_burn`, `redemption.collect`, `partner.onchain`, `authority.propose`, `authority.apply`, `partner.create`, `partner.change`, `partner.add_wallet`, `partner.resume`, `denomination.create`, `denomination.change`, `limits.change`, `operator.change`, `operator.disable`, `operator.enable`, `operator.reset_second_factor` or `chain.status`.',
    'redemption.refund',
  ),
  objectType: about('Kind of the object.', 'redemption'),
  objectId: about('Id of the object.', `red_${uuid}`),
  request: {
    description: 'Exactly what will be done.',
    examples: [{ redemption_id: `red_${uuid}`, status: 'cancelled', tokens: '0.380625' }],
  },
  before: about(
    'Values that the change replaces, in the same fields; null if there are none yet, and for movements of tokens.',
    null,
  ),
  approvalStatus: about(
    '`pending`, `approved`, `rejected`, or `expired`: after 24 hours, or when the operator who requested it may no longer do it.',
    'pending',
  ),
  ofStatus: about('Only those with this status.', 'pending'),
  requestedBy: about('Operator who requested it.', uuid),
  operatorName: about('Name of that operator.', 'Sana Malik'),
  decidedBy: about('Operator who decided; null until then.', null),
  decisions: about(
    'What you can do with it now; each is the last part of a path. Empty for your own request; only `reject` if you and the requester may be the same person.',
    ['approve', 'reject'],
  ),
  decidedAt: about('When it was decided; null until then.', null),
  decisionReason: about('Reason why it was rejected or ended early; null otherwise.', null),
  pausedTrade: about('Buys and sells of users.', false),
  pausedPartner: about('Purchases and sales of partners.', false),
  pausedWithdraw: about('Withdrawals from vaults.', false),
  pausedRedeem: about('Payments of redemptions.', false),
  pausedSettle: about('Refunds of redemptions, and announcing and doing burns.', false),
  pausedTreasury: about('Withdrawals from the treasury, mints of GOLD, and sweeps of escrow.', false),
  market: about('State of the market on chain.', 'open'),
  marketSetting: about(
    '`closed` lasts until it is taken back, `open` until the calendar opens the market by itself, and `auto` leaves the market to the calendar.',
    'closed',
  ),
  override: about("An operator's setting that overrides the calendar; null when there is none.", null),
  overrideUntil: about('When it ends; null if it lasts until it is taken back.', null),
  statusTxHash: about('Transaction of the change; null if nothing had to change.', null),
};
