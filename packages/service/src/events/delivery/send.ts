import http from 'node:http';
import https from 'node:https';
import { Webhook } from 'standardwebhooks';
import { type Attempt, respondWithinMs } from '../../domain/webhook.js';
import { withDeadline } from '../../runtime/time.js';
import {
  type AllowLocal,
  type Destination,
  RefusedDestination,
  type Resolve,
  resolveDestination,
} from './destination.js';

/** What is sent, and where to. */
export interface Sending {
  url: string;
  /** All of them sign. */
  secrets: readonly string[];
  /** Id of the event. */
  id: string;
  /** JSON text. */
  body: string;
}

export interface SendOptions {
  allowLocal: AllowLocal;
  resolve?: Resolve | undefined;
  /** Gives up the attempt. */
  signal?: AbortSignal | undefined;
  /** Until the response begins; default: 10 s. */
  withinMs?: number;
}

/** Without when it was made. */
export type Outcome = Omit<Attempt, 'at'>;

const bodyKeptBytes = 1_024;
/** A body that does not come delays nothing: the status is all that counts. */
const bodyWithinMs = 1_000;

/** Whether an endpoint took an event. */
export const isDelivered = ({ status_code }: Pick<Attempt, 'status_code'>) =>
  status_code !== null && status_code >= 200 && status_code < 300;

/** Sends a webhook as Standard Webhooks 1.0 says. Never throws: what fails is the outcome. */
export async function sendWebhook(sending: Sending, options: SendOptions): Promise<Outcome> {
  const begun = performance.now();
  const { withinMs = respondWithinMs } = options;
  const outcomeOf = (outcome: Omit<Outcome, 'duration_ms'>) => ({
    ...outcome,
    duration_ms: Math.round(performance.now() - begun),
  });
  try {
    const response = await withDeadline(withinMs, options.signal, async (signal) => {
      const { allowLocal, resolve } = options;
      const destination = await resolveDestination(sending.url, { allowLocal, ...(resolve && { resolve }) });
      signal.throwIfAborted();
      return post(destination, sending, signal);
    });
    const delivered = isDelivered(response);
    const redirects = response.status_code >= 300 && response.status_code < 400;
    const error = redirects ? 'Redirects are not followed.' : `The response was ${response.status_code}.`;
    return outcomeOf({ ...response, error: delivered ? null : error });
  } catch (error) {
    return outcomeOf({ status_code: null, error: textOf(error, withinMs), response_body: null });
  }
}

function textOf(error: unknown, withinMs: number): string {
  if (error instanceof RefusedDestination) return `The url ${error.message}.`;
  if (!(error instanceof Error)) return 'The request failed.';
  if (error.name === 'TimeoutError') return `No response within ${withinMs / 1_000} s.`;
  const { code } = error as NodeJS.ErrnoException;
  return (code ? `The connection failed: ${code}.` : `The request failed: ${error.message}`)
    .replaceAll('\0', '')
    .slice(0, 500);
}

function headersOf({ id, secrets, body }: Sending): Record<string, string> {
  // Receivers compare it with their own clocks, not with one that a sandbox has moved.
  const at = new Date();
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Karat-Webhooks/1.0',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

/** Connects to the addresses that were checked, whatever the name means by now; the certificate is that of the name. */
function post({ url, addresses }: Destination, sending: Sending, signal: AbortSignal) {
  type Response = { status_code: number; response_body: string };
  return new Promise<Response>((resolve, reject) => {
    // An aborted request has an error of its own, which does not say why.
    const fail = (error: Error) => reject(signal.aborted ? signal.reason : error);
    const request = (url.protocol === 'https:' ? https : http).request(
      url,
      {
        method: 'POST',
        headers: headersOf(sending),
        signal,
        // A connection that is kept would go to what the name meant before.
        agent: false,
        lookup: (_name, options, callback) => {
          const [first] = addresses;
          if (options.all) callback(null, addresses);
          else callback(null, first?.address ?? '', first?.family);
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        const end = () => {
          clearTimeout(timer);
          const body = Buffer.concat(chunks)
            .subarray(0, bodyKeptBytes)
            .toString('utf8')
            .replaceAll('\0', '\uFFFD');
          resolve({ status_code: response.statusCode ?? 0, response_body: body });
          request.destroy();
        };
        const timer = setTimeout(end, bodyWithinMs);
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length >= bodyKeptBytes) end();
        });
        response.on('end', end);
        response.on('error', end);
        // With the status the attempt is decided, whatever becomes of the body.
        request.off('error', fail).on('error', end);
      },
    );
    request.on('error', fail);
    // Neither has a response, an error or an end of its own.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      fail(new Error('the endpoint switched protocols'));
    });
    request.on('close', () => fail(new Error('the connection was closed')));
    request.end(sending.body);
  });
}
