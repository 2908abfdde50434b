import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

type Dialog = (close: () => void) => ReactNode;

const HostContext = createContext<((dialog: Dialog) => void) | undefined>(undefined);

/**
 * Shows the dialogs of buttons within it. A button goes with its row once its change is made, and what the dialog has to
 * report of that must not go with it. They are of `page`, and close when it is left.
 */
export function DialogHost({ page, children }: { page: string; children: ReactNode }) {
  const [dialog, setDialog] = useState<Dialog>();
  useEffect(() => setDialog(undefined), [page]);
  const [open] = useState(() => (opened: Dialog) => setDialog(() => opened));
  return (
    <HostContext value={open}>
      {children}
      {dialog?.(() => setDialog(undefined))}
    </HostContext>
  );
}

/** Returns what opens a dialog, and the dialog where there is no host that shows it. */
export function useDialog(): { open: (dialog: Dialog) => void; dialog: ReactNode } {
  const host = useContext(HostContext);
  const [own, setOwn] = useState<Dialog>();
  return { open: host ?? ((opened) => setOwn(() => opened)), dialog: own?.(() => setOwn(undefined)) };
}
