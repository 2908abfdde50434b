import './checklist.css';
import { lazy, Suspense } from 'react';
import { call } from '../api/client';
import { useLive, usePolled } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { home as t } from '../text/portal/home';
import { IconCircle, IconCircleCheck } from '../ui/icons';
import { Panel } from '../ui/parts';
import { Loaded } from '../ui/states';
import { api, type Schemas } from './api';
import { pageParts } from './page-parts';

const Snippet = lazy(pageParts.snippet);

type Step = keyof typeof t.steps;

/** The sample of each step; the wallet is registered by the people who run Karat. */
const samples = {
  wallet: [],
  key: ['createApiKey'],
  quote: ['createUser', 'quoteBuy'],
  webhook: ['createWebhookEndpoint'],
  trade: ['buy'],
} as const satisfies Record<Step, readonly string[]>;

/** What is left to do until the first trade, for those who connect the partner's systems. */
export function Checklist({ partner }: { partner: Schemas['Me'] }) {
  const done = usePolled(['partner', 'setup'], () => readDone(partner));
  const user = useLive(['users', 'newest'], () =>
    call(api.GET('/v1/users', { params: { query: { limit: '1' } } })),
  );
  const own = {
    baseUrl: location.origin,
    partnerId: partner.partner_id,
    wallet: partner.wallets[0],
    userId: user.data?.users[0]?.service_user_id,
  };
  return (
    <Panel title={t.checklist}>
      <Loaded of={done}>
        {(steps) => {
          const all = Object.keys(t.steps) as Step[];
          const next = all.find((step) => !steps[step]);
          return (
            <>
              <p className="dimmed">
                {fill(t.done, { done: all.filter((step) => steps[step]).length, all: all.length })}
              </p>
              <p>{t.samples}</p>
              <nav className="guides" aria-label={t.guidesLabel}>
                {Object.entries(t.guides).map(([page, name]) => (
                  <a key={page} className="text-link" href={`/${page}`} target="_blank" rel="noreferrer">
                    {name}
                  </a>
                ))}
              </nav>
              <ol className="checklist">
                {all.map((step) => (
                  <li key={step} className={steps[step] ? 'done' : ''}>
                    {steps[step] ? <IconCircleCheck size={22} /> : <IconCircle size={22} />}
                    <details open={step === next}>
                      <summary>
                        <strong>{t.steps[step].title}</strong>{' '}
                        <span className="dimmed">{steps[step] ? t.state.done : t.state.open}</span>
                      </summary>
                      <p>
                        {steps[step]
                          ? fill(t.steps[step].done, { wallets: partner.wallets.join(', ') })
                          : t.steps[step].open}
                      </p>
                      <Suspense fallback={<p>{text.common.loading}</p>}>
                        {samples[step].map((name) => (
                          <Snippet key={name} name={name} own={own} />
                        ))}
                      </Suspense>
                    </details>
                  </li>
                ))}
              </ol>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** Returns which steps are done; a quote is known for as long as the log of requests has it. */
async function readDone(partner: Schemas['Me']): Promise<Record<Step, boolean>> {
  const [{ api_keys: keys }, { webhook_endpoints: endpoints }, quotes] = await Promise.all([
    call(api.GET('/v1/partner/api-keys', { params: { query: { limit: '100' } } })),
    call(api.GET('/v1/webhook-endpoints', { params: { query: { limit: '100' } } })),
    Promise.all(
      ['/v1/buy', '/v1/sell'].map((path) =>
        call(
          api.GET('/v1/requests', { params: { query: { path, status: '200', method: 'POST', limit: '1' } } }),
        ),
      ),
    ),
  ]);
  return {
    wallet: partner.wallets.length > 0,
    key: keys.some(({ status }) => status === 'active'),
    quote: quotes.some(({ requests }) => requests.length > 0),
    webhook: endpoints.some(({ status }) => status === 'active'),
    trade: false,
  };
}
