import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { Context } from '../../context.js';
import { isLoopbackHost } from '../../domain/loopback.js';
import { asEmail } from '../../domain/person.js';
import {
  freshSignOnMs,
  type Identity,
  isAttested,
  maxSkewMs,
  newSignOnSecret,
  signOnChecks,
} from '../../domain/single-sign-on.js';
import { AppError, unavailable } from '../../errors.js';

/** What the browser brings back from the identity provider, as it came. */
export interface SignOnResponse {
  state: string;
  code?: string | undefined;
  /** Who sent the browser back, where the provider says so. */
  iss?: string | undefined;
  /** Why it issued no code. */
  error?: string | undefined;
}

/** Stands before the secret of a sign-in whose person has to show everything again. */
const freshPrefix = 'fresh-';

const secondsOf = (ms: number) => ms / 1_000;

const timeoutMs = 8_000;
/** The provider's addresses and what it can do change rarely; its keys are read again by themselves. */
const discoveryKeptMs = 60 * 60_000;

/**
 * The OpenID Connect provider at which operators sign in: authorization code with PKCE, state and nonce. What it responds is
 * checked by `openid-client`, the signature of the ID token included.
 */
export class IdentityProvider {
  readonly #ctx: Context;
  #discovered: { at: number; client: Promise<Configuration> } | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Whether there is one. */
  get isSet(): boolean {
    return this.#ctx.config.oidcIssuer !== undefined;
  }

  /**
   * Begins a sign-in. Returns the address to send the browser to, and the secret that it keeps meanwhile. With `fresh`, a person
   * who is signed in at the provider has to show everything again. Throws `service_unavailable` without a provider, and for one
   * that does not respond.
   */
  async begin({ redirectUri, fresh }: { redirectUri: string; fresh: boolean }) {
    const client = await this.#discover();
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    const secret = (fresh ? freshPrefix : '') + newSignOnSecret();
    const { state, nonce, codeVerifier } = signOnChecks(secret);
    const acr = this.#ctx.config.oidcSecondFactor.filter(({ claim }) => claim === 'acr');
    const url = buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: scopeOf(client),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(acr.length > 0 && { acr_values: acr.map(({ value }) => value).join(' ') }),
      ...(fresh && { prompt: 'login', max_age: '0' }),
    });
    return { url: url.href, secret };
  }

  /**
   * Redeems what the browser brought back for the identity of its person. Throws `invalid_challenge` unless this browser began
   * the sign-in, `unauthorized` for what the provider refused or what is not its own response to this sign-in, and
   * `service_unavailable` for a provider that does not respond.
   */
  async finish(
    secret: string | undefined,
    { redirectUri, response }: { redirectUri: string; response: SignOnResponse },
  ): Promise<Identity> {
    const checks = secret === undefined ? undefined : signOnChecks(secret);
    if (!secret || !checks || response.state !== checks.state) throw notBegunHere();
    const client = await this.#discover();
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries(response)) if (value) url.searchParams.set(name, value);
    const fresh = secret.startsWith(freshPrefix);
    try {
      const tokens = await authorizationCodeGrant(client, url, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.codeVerifier,
        idTokenExpected: true,
        ...(fresh && { maxAge: secondsOf(freshSignOnMs) }),
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('there is no ID token');
      const { issuer, userinfo_endpoint: userInfo } = client.serverMetadata();
      // The library takes any tenant for some providers.
      if (claims.iss !== issuer) throw new Error(`the ID token is of ${claims.iss}`);
      const isWhole = claims.groups !== undefined && claims.email !== undefined;
      const further =
        isWhole || userInfo === undefined
          ? undefined
          : await fetchUserInfo(client, tokens.access_token, claims.sub);
      const attested = isAttested(this.#ctx.config.oidcSecondFactor, claims);
      return { ...identityOf(claims, further), attested, fresh };
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Returns where a browser signs out at the provider; undefined where it cannot, or when the provider does not respond. */
  async endSessionUrl(returnTo: string): Promise<string | undefined> {
    if (!this.isSet) return undefined;
    const client = await this.#discover().catch(() => undefined);
    if (!client?.serverMetadata().end_session_endpoint) return undefined;
    const { buildEndSessionUrl } = await import('openid-client');
    return buildEndSessionUrl(client, { post_logout_redirect_uri: returnTo }).href;
  }

  /** Returns the client of the provider, once for all who wait for it; a failure is not kept. */
  #discover(): Promise<Configuration> {
    const { clock, config } = this.#ctx;
    if (config.oidcIssuer === undefined) {
      throw unavailable('Single sign-on is not set up here: KARAT_OIDC_ISSUER is not set.');
    }
    const known = this.#discovered;
    if (known && clock.now() - known.at < discoveryKeptMs) return known.client;
    const client = this.#readMetadata(config.oidcIssuer);
    const discovered = { at: clock.now(), client };
    this.#discovered = discovered;
    client.catch(() => {
      // A provider that is away for a moment does not end what is known of it.
      if (this.#discovered === discovered) this.#discovered = known;
    });
    return client;
  }

  async #readMetadata(issuer: string): Promise<Configuration> {
    const { oidcClientId: clientId = '', oidcClientSecret } = this.#ctx.config;
    const oidc = await import('openid-client');
    const execute = [
      oidc.enableNonRepudiationChecks,
      ...(isLoopbackHost(new URL(issuer).hostname) ? [oidc.allowInsecureRequests] : []),
    ];
    const timeout = secondsOf(timeoutMs);
    try {
      const found = await oidc.discovery(new URL(issuer), clientId, undefined, undefined, {
        execute,
        timeout,
      });
      const server = found.serverMetadata();
      if (new URL(server.issuer).href !== new URL(issuer).href) {
        throw new Error(`it calls itself ${server.issuer}`);
      }
      const secret = oidcClientSecret?.reveal();
      const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post');
      const authenticate = takesPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
      const metadata = { [oidc.clockTolerance]: secondsOf(maxSkewMs) };
      const client = new oidc.Configuration(server, clientId, metadata, authenticate);
      client.timeout = timeout;
      for (const enable of execute) enable(client);
      return client;
    } catch (error) {
      throw this.#away(error);
    }
  }

  #failure(error: unknown): AppError {
    const { code, error: named } = error as { code?: unknown; error?: unknown };
    if (error instanceof TypeError || code === 'OAUTH_TIMEOUT' || isServerFault(error))
      return this.#away(error);
    this.#ctx.log.warn({ code, error: named, detail: messageOf(error) }, 'a single sign-on failed');
    const why = typeof named === 'string' && /^[a-z_]{1,40}$/.test(named) ? ` (${named})` : '';
    const message = `The identity provider did not sign you in${why}: start again. The log of the service has the details.`;
    return new AppError('unauthorized', message);
  }

  #away(error: unknown): AppError {
    this.#ctx.log.error({ detail: messageOf(error) }, 'the identity provider does not respond');
    const passwords = this.#ctx.config.operatorPasswords === 'allowed' ? ', or sign in with a password' : '';
    const message = `The identity provider does not respond as it should: try again in a minute${passwords}.`;
    return unavailable(message, { retryAfterSeconds: 60 });
  }
}

/** Returns what went wrong without the claims and tokens that errors of the library carry. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** Returns whether the provider failed by itself: errors carry its response, or that of its proxy. */
function isServerFault(error: unknown): boolean {
  const { cause, status } = error as { cause?: unknown; status?: unknown };
  const code = cause instanceof Response ? cause.status : status;
  return typeof code === 'number' && code >= 500;
}

/** Groups have a scope of their own at some providers; others refuse scopes that they do not know. */
function scopeOf(client: Configuration): string {
  const known = client.serverMetadata().scopes_supported ?? [];
  return ['openid', 'email', 'profile', ...(known.includes('groups') ? ['groups'] : [])].join(' ');
}

function identityOf(claims: IDToken, further: UserInfoResponse | undefined) {
  const claim = (name: string): unknown => claims[name] ?? further?.[name];
  const textOf = (name: string) => {
    const value = claim(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const groups = claim('groups');
  const listed: unknown[] = Array.isArray(groups) ? groups : [groups];
  const email = asEmail(textOf('email'));
  return {
    issuer: new URL(claims.iss).href,
    subject: claims.sub,
    email,
    name: textOf('name') || textOf('preferred_username') || email,
    groups: listed.filter((group) => typeof group === 'string'),
  };
}

function notBegunHere(): AppError {
  const message = 'This sign-in was not begun in this browser, or took more than 10 minutes: start again.';
  return new AppError('invalid_challenge', message);
}
