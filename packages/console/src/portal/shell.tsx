import { useMemo } from 'react';
import { Frame } from '../app/frame';
import { frame } from '../text/portal/frame';
import { useMe } from './api';
import { groupsFor } from './nav';

/** The frame of the portal. */
export function PortalShell() {
  const me = useMe();
  const groups = useMemo(() => groupsFor(me.permissions), [me.permissions]);
  return <Frame title={frame.product} groups={groups} who={me.name} role={frame.roles[me.role]} />;
}
