import type { Schemas } from '../api/client';
import { text } from '../text';
import { formatSeconds, secondsSince } from '../ui/format';
import { Badge, type Tone } from '../ui/parts';

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

/** How long it has been in its status, which is what a clerk works by. */
export function Waiting({ since }: { since: string }) {
  return <span className="amount">{formatSeconds(secondsSince(since))}</span>;
}

const waiting = new Set<RedemptionStatus>(['submitted', 'preparing', 'ready', 'cancellation_requested']);
export const isWaiting = (status: RedemptionStatus) => waiting.has(status);
