import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A person whom the identity provider knows, and how that person signs in there. */
export interface Known {
  sub: string;
  email?: string;
  name?: string;
  groups?: unknown;
  acr?: string;
  amr?: string[];
}

const clientSecret = 'a client secret of the tests';

function askToSignOut(ctx: { body?: string }, form: string): void {
  ctx.body = `<!doctype html><title>Sign out</title>${form}`;
}

/** An OpenID Connect provider on this machine, in whose pages `who` signs in at once, for a console at `origin`. */
export async function startIdentityProvider(origin = 'https://karat.test') {
  const returnTo = `${origin}/single-sign-on`;
  const state: {
    who: Known | undefined;
    /** Changes ID tokens before they leave. */
    tamper: ((idToken: string) => string | Promise<string>) | undefined;
  } = { who: undefined, tamper: undefined };
  let handle = (_request: IncomingMessage, _response: ServerResponse): void => {};
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'signs', alg: 'RS256', use: 'sig' };
  const known = new Map<string, Known>();
  const client = { redirect_uris: [returnTo], post_logout_redirect_uris: [`${origin}/sign-in`] };
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: 'karat', client_secret: clientSecret },
      { ...client, client_id: 'another', client_secret: 'another secret of the tests' },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: ['cookies of the tests'] },
    claims: { openid: ['sub', 'acr', 'amr'], email: ['email'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    features: {
      devInteractions: { enabled: false },
      // Its own page has fonts of another host.
      rpInitiatedLogout: { logoutSource: askToSignOut },
    },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: () => (state.who?.sub === accountId ? state.who : (known.get(accountId) ?? { sub: accountId })),
    }),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  });
  provider.use(async (ctx, next) => {
    await next();
    const { body } = ctx;
    if (state.tamper && body?.id_token) ctx.body = { ...body, id_token: await state.tamper(body.id_token) };
  });
  const callback = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/')) void interact(request, response);
    else callback(request, response);
  };

  /** Signs `who` in and consents, or refuses. */
  async function interact(request: IncomingMessage, response: ServerResponse) {
    const { params } = await provider.interactionDetails(request, response);
    const { who } = state;
    if (!who) {
      const error = { error: 'access_denied', error_description: 'not today' };
      return provider.interactionFinished(request, response, error);
    }
    known.set(who.sub, who);
    const grant = new provider.Grant({ accountId: who.sub, clientId: String(params.client_id) });
    grant.addOIDCScope('openid email profile groups');
    const { acr, amr } = who;
    const login = { accountId: who.sub, ...(acr && { acr }), ...(amr && { amr }) };
    return provider.interactionFinished(request, response, {
      login,
      consent: { grantId: await grant.save() },
    });
  }

  return {
    issuer,
    clientSecret,
    state,
    /** Returns an ID token with other claims, signed with the key of the provider. */
    withClaims(idToken: string, claims: object): string {
      const [header, body = ''] = idToken.split('.');
      const changed = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...claims };
      const content = `${header}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}`;
      return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`;
    },
    /** Goes where a browser is sent to, until it is sent back; the parameters that it brings. */
    async visit(url: string): Promise<Record<string, string>> {
      const cookies = new Map<string, string>();
      let next = url;
      for (let hops = 0; hops < 10; hops += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
        for (const each of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (!location) throw new Error(`${next}: ${response.status} ${await response.text()}`);
        if (location.startsWith(returnTo)) return Object.fromEntries(new URL(location).searchParams);
        next = new URL(location, issuer).href;
      }
      throw new Error('the provider sends the browser in circles');
    },
    /** Does not respond any more. */
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
