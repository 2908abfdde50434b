import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useMe } from '../api/operator';

/** Whether the operator wants notifications in this browser, and what chooses that. It is off until it is chosen. */
export function useNotifyChoice() {
  const { operator_id: id } = useMe();
  const [stored, choose] = useLocalStorage<boolean>({
    key: `karat-notify-${id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  return [stored === true, choose] as const;
}

/** Whether this browser has notifications at all for this address. */
export const hasNotifications = 'Notification' in window && navigator.permissions !== undefined;

/** Whether the browser lets this address show notifications, also once that changes; undefined until it is known. */
export function useNotifyPermission(): PermissionState | undefined {
  const [state, setState] = useState<PermissionState>();
  useEffect(() => {
    if (!hasNotifications) return;
    let status: PermissionStatus | undefined;
    let isGone = false;
    void navigator.permissions.query({ name: 'notifications' }).then((found) => {
      if (isGone) return;
      status = found;
      setState(found.state);
      found.onchange = () => setState(found.state);
    });
    return () => {
      isGone = true;
      if (status) status.onchange = null;
    };
  }, []);
  return state;
}
