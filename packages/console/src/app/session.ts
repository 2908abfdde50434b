import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ApiError, Notice } from '../api/client';
import { surface } from '../api/surface';
import { text } from '../text';
import { notifyFailure } from '../ui/states';

/** Returns what signs the person out and forgets everything that was read. While the session is open, the page stays. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async () => {
    try {
      const { end_session_url: elsewhere } = (await surface().account.signOut()) as {
        end_session_url?: string;
      };
      // Otherwise the next person at this browser is signed in by one click.
      if (elsewhere) return location.assign(elsewhere);
    } catch (error) {
      const isOver = error instanceof ApiError && error.status === 401;
      if (!isOver) return notifyFailure(new Notice(text.failure.signOut));
    }
    await router.navigate({ to: '/sign-in' });
    client.clear();
  };
}
