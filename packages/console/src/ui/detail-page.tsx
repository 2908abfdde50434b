import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLive } from '../api/live';
import { Back } from './parts';
import { Loaded } from './states';

/** The page of one thing, whose id is in the address: the way back to the list of its kind, and what is read of it. */
export function DetailPage<T>({
  list,
  title,
  kind,
  read,
  children,
}: {
  /** The path of the list, and its title. */
  list: string;
  title: string;
  /** Begins the keys of what is read of such things: a change of the kind reads it again. */
  kind: string;
  read: (id: string) => Promise<T>;
  children: (found: T) => ReactNode;
}) {
  const { id } = useParams({ strict: false }) as { id: string };
  const found = useLive([kind, id], () => read(id));
  return (
    <>
      <Back to={list}>{title}</Back>
      <Loaded of={found}>{children}</Loaded>
    </>
  );
}
