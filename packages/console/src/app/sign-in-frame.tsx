import type { ReactNode } from 'react';
import { Mark } from './mark';

/** The frame of pages for those who are not signed in. */
export function SignInFrame({ lead, name, children }: { lead: string; name: string; children: ReactNode }) {
  return (
    <div className="sign-in">
      <aside>
        <Mark size={40} />
        <p>{lead}</p>
        <small>{name}</small>
      </aside>
      <main>{children}</main>
    </div>
  );
}
