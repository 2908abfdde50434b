import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { call } from '../api/client';
import { findRows, useLive } from '../api/live';
import { api, useMay } from '../api/operator';
import { session } from '../api/session';
import { text } from '../text';
import { fill } from '../text/en';
import { approvalName } from '../ui/format';
import { useNotifyChoice, useNotifyPermission } from '../ui/notify-choice';

const t = text.notifications;

/** What waits for the operator: as many of each kind as one looks through at most. */
const maxRead = 20;

type Kind = 'submitted' | 'cancellation_requested' | 'approval';
interface Waiting {
  kind: Kind;
  id: string;
  /** For its notification; no name of a customer, since others may see the screen. */
  words: Record<string, string>;
  /** The page about it. */
  to: string;
}

async function readRedemptions(status: 'submitted' | 'cancellation_requested'): Promise<Waiting[]> {
  const query = { status, order: 'desc', limit: String(maxRead) } as const;
  const { redemptions } = await call(api.GET('/operator/v1/redemptions', { params: { query } }));
  return redemptions.map(({ redemption_id: id, denomination: item, city }) => ({
    kind: status,
    id,
    words: { item, city },
    to: `/redemptions/${id}`,
  }));
}

async function readApprovals(): Promise<Waiting[]> {
  const found = await findRows(
    (cursor) => call(api.GET('/operator/v1/approvals', { params: { query: { status: 'pending', cursor } } })),
    ({ approvals }) => approvals,
    ({ available_actions: actions }) => actions.length > 0,
    maxRead,
  );
  return found.map(({ approval_id: id, action }) => ({
    kind: 'approval',
    id,
    words: { action: approvalName(action) },
    to: '/approvals',
  }));
}

const pages: Record<Kind, string> = {
  submitted: '/redemptions?status=submitted&order=asc',
  cancellation_requested: '/redemptions?status=cancellation_requested&order=asc',
  approval: '/approvals',
};

/**
 * Notifies an operator who has chosen so of what begins to wait: not of what waited before, and of several of a kind once. A
 * page that is not in use reads nothing, so it only says that something has changed, once until it is used again.
 */
export function useNotifications(): void {
  const [chosen] = useNotifyChoice();
  const isOn = useNotifyPermission() === 'granted' && chosen;
  const fulfils = useMay('fulfil');
  const decides = useMay('decide');
  const navigate = useNavigate();
  const known = useRef<Set<string>>(undefined);
  const { data } = useLive(
    ['redemptions', 'notify'],
    async () => {
      const read = [
        ...(fulfils ? [readRedemptions('submitted'), readRedemptions('cancellation_requested')] : []),
        ...(decides ? [readApprovals()] : []),
      ];
      return (await Promise.all(read)).flat();
    },
    isOn,
  );
  const open = (to: string) => void navigate({ to });

  useEffect(() => {
    if (!isOn) known.current = undefined;
    if (!isOn || !data) return;
    const before = known.current;
    known.current = new Set([...(before ?? []), ...data.map(({ id }) => id)]);
    if (!before) return;
    for (const kind of Object.keys(pages) as Kind[]) {
      const news = data.filter((one) => one.kind === kind && !before.has(one.id));
      const [first] = news;
      if (!first) continue;
      const body =
        news.length === 1 ? fill(t[kind].one, first.words) : fill(t[kind].many, { count: news.length });
      show(kind, body, () => open(news.length === 1 ? first.to : pages[kind]));
    }
  }, [data, isOn]);

  useEffect(() => {
    if (!isOn) return;
    let isTold = false;
    const ends = [
      session.watchAway((kind) => {
        if (isTold || (kind !== 'redemption' && kind !== 'approval')) return;
        isTold = true;
        show('away', t.away, () => open('/'));
      }),
      session.watchReturn(() => {
        isTold = false;
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [isOn]);
}

/** Shows a notification, in place of one with the same tag, also of another window. */
function show(tag: string, body: string, open: () => void): void {
  try {
    const notification = new Notification(text.product, { body, tag: `karat-${tag}` });
    notification.onclick = () => {
      window.focus();
      open();
      notification.close();
    };
  } catch {
    // Browsers of phones have the permission, but show none for a page.
  }
}
