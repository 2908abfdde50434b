import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { api, call } from '../api/client';

/** Returns what signs the operator out and forgets everything that was read. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async () => {
    await call(api.DELETE('/operator/v1/session', {})).catch(() => undefined);
    await router.navigate({ to: '/sign-in' });
    client.clear();
  };
}
