import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { worthRetrying } from '../api/live';
import { session } from '../api/session';
import { prefetch } from './lazy-page';
import { nonce } from './nonce';
import { type Application, createAppRouter } from './router';
import { theme, variables } from './theme';

/** Shows an application; after its first page, it loads the code of all others and `parts`. */
export function start(application: Application, parts: readonly (() => Promise<unknown>)[]): void {
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: worthRetrying,
        refetchOnWindowFocus: () => !session.isIdle(),
        refetchOnReconnect: () => !session.isIdle(),
        // Otherwise what is read offline waits, and is shown as loading for as long as that takes.
        networkMode: 'always',
      },
      // Otherwise a change that is begun offline waits, and is made by itself when the connection is back, however late.
      mutations: { networkMode: 'always' },
    },
  });
  const router = createAppRouter(queryClient, application);
  addEventListener('load', () => void prefetch(router, parts));

  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          {/* Above, they would cover the buttons of the page, such as that of the receipt after a hand-over. */}
          <Notifications position="bottom-right" limit={5} />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
