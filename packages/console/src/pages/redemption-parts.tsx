import { type Schemas, useMe } from '../api/operator';
import { text } from '../text';
import { formatSeconds, secondsSince } from '../ui/format';
import { Badge, type Tone } from '../ui/parts';

/** A pickup code has that many; a scan of its QR code ends with them. */
export const codeDigits = 8;

export type RedemptionStatus = Schemas['Redemption']['status'];
export type Case = Schemas['RedemptionCase'];
export type Move = keyof typeof text.redemptions.moves;

export const isMove = (action: string): action is Move => action in text.redemptions.moves;

const tones: Record<RedemptionStatus, Tone> = {
  submitted: 'warn',
  preparing: 'calm',
  ready: 'good',
  collected: 'quiet',
  cancellation_requested: 'warn',
  cancelled: 'quiet',
  failed: 'bad',
};

export function StatusBadge({ status }: { status: RedemptionStatus }) {
  return <Badge tone={tones[status]}>{text.redemptions.status[status]}</Badge>;
}

/** How long a customer waits for it, and whether that is too long, in a word next to the colour; nothing once it has ended. */
export function Waiting({
  of: { age, created_at },
}: {
  of: Pick<Schemas['Redemption'], 'age' | 'created_at'>;
}) {
  if (age === null) return <>{text.common.none}</>;
  const time = <span className="amount">{formatSeconds(secondsSince(created_at))}</span>;
  if (age === 'on_time') return time;
  return (
    <span className={`waits ${age}`} title={text.redemptions.ageHints[age]}>
      {time} <Badge tone={age === 'late' ? 'warn' : 'bad'}>{text.redemptions.ages[age]}</Badge>
    </span>
  );
}

/** Who sees to it; nothing while no one does. */
export function Assignee({ of: { assignee_id: id, assignee_name: name } }: { of: Schemas['Redemption'] }) {
  const me = useMe();
  if (id === null) return <>{text.common.none}</>;
  return <span className="name">{id === me.operator_id ? text.redemptions.assignment.you : name}</span>;
}
