import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../api/client';
import { readAll, useLive } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { changeWords } from './change-words';

export type Approval = Schemas['Approval'];

/** Which requests an object waits for: those of an action on it, and what else they have to be. */
export interface WaitsFor {
  action: string | readonly string[];
  /** The object, by its id. */
  object?: string;
  where?: (approval: Approval) => boolean;
}

/** Returns the requests that wait for a second person. */
export function usePending(): Approval[] {
  const pending = useLive(['approvals', 'pending'], async () => {
    const pages = await readAll((cursor) =>
      call(
        api.GET('/operator/v1/approvals', { params: { query: { status: 'pending', cursor, limit: '100' } } }),
      ),
    );
    return pages.flatMap(({ approvals }) => approvals);
  });
  return pending.data ?? [];
}

/** Returns whether a request is one of those. */
export const isOne = ({ action, object, where }: WaitsFor, approval: Approval): boolean =>
  [action].flat().includes(approval.action) &&
  (object === undefined || approval.object_id === object) &&
  (where === undefined || where(approval));

/** A button, or in its place that its change waits for a second person, while one of these requests does. */
export function OrWaits({ for: wanted, children }: { for: WaitsFor | undefined; children: ReactNode }) {
  return wanted ? <Waits wanted={wanted}>{children}</Waits> : children;
}

function Waits({ wanted, children }: { wanted: WaitsFor; children: ReactNode }) {
  const waiting = usePending().find((approval) => isOne(wanted, approval));
  return waiting ? (
    <Link to="/approvals" className="badge warn waits" title={changeWords(waiting).sentences.join(' ')}>
      {text.common.waits}
    </Link>
  ) : (
    children
  );
}
