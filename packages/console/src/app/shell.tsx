import { useRouterState } from '@tanstack/react-router';
import { lazy, useCallback, useEffect, useState } from 'react';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { api, useMe } from '../api/operator';
import { session, type Unsigned } from '../api/session';
import { text } from '../text';
import { Frame, frameParts } from './frame';
import { groups } from './nav';
import { useNotifications } from './notifications';

const load = {
  search: () => import('./search'),
  spotlight: () => import('@mantine/spotlight'),
  unsigned: () => import('./unsigned'),
};
/** What the frame of the console loads when it is needed. */
export const shellParts = [...frameParts, ...Object.values(load)];

const Search = lazy(load.search);
const UnsignedTransaction = lazy(load.unsigned);

/** Opens the search, which is loaded then. */
function useSearchField() {
  const [wanted, setWanted] = useState(false);
  const open = useCallback(() => {
    if (wanted) void load.spotlight().then(({ spotlight }) => spotlight.open());
    setWanted(true);
  }, [wanted]);
  return { wanted, open };
}

/** Shows a transaction that a change of any page left to be signed elsewhere. */
function useUnsigned() {
  const [unsigned, setUnsigned] = useState<Unsigned>();
  useEffect(() => {
    session.showUnsigned = setUnsigned;
  }, []);
  return unsigned ? <UnsignedTransaction of={unsigned} onClose={() => setUnsigned(undefined)} /> : null;
}

/** The frame of the console. */
export function Shell() {
  const me = useMe();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const search = useSearchField();
  useNotifications();
  const unsigned = useUnsigned();
  // Has a query key of its own: the summary's is read again at every trade.
  const waiting = useLive(['approvals', 'waiting'], async () => {
    const { approvals_waiting } = await call(api.GET('/operator/v1/summary'));
    return approvals_waiting;
  });
  return (
    <Frame
      title={text.product}
      groups={groups}
      who={me.name}
      role={text.roles[me.role]}
      counts={{ '/approvals': waiting.data }}
      openSearch={search.open}
      full={path === '/counter'}
    >
      {search.wanted ? <Search /> : null}
      {unsigned}
    </Frame>
  );
}
