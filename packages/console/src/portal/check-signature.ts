/** What is known of a webhook that a server received, as it was pasted. */
export interface Pasted {
  secret: string;
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

/** What the check found, with what its text fills in. */
export type Finding =
  | { result: 'valid' }
  | { result: 'old' | 'future'; seconds: number }
  | { result: 'secretForm' | 'timestampForm' | 'milliseconds' | 'signatureForm' }
  | { result: 'serialised' | 'spaces' | 'otherSecret' | 'unknown' }
  | { result: 'id'; id: string }
  | { result: 'changed'; at: number; sent: string; pasted: string };

/** Receivers refuse what is further from their own clock, seconds. */
const toleranceSeconds = 300;

/**
 * Verifies a signature as Standard Webhooks 1.0 has it, and looks for what is wrong with one that does not fit.
 * @param readSent returns the body that was sent for the id; undefined where it is not known.
 */
export async function checkSignature(
  pasted: Pasted,
  nowMs: number,
  readSent: (id: string) => Promise<string | undefined>,
): Promise<Finding> {
  const id = pasted.id.trim();
  const timestamp = pasted.timestamp.trim();
  const key = await readKey(pasted.secret.trim());
  if (!key) return { result: 'secretForm' };
  if (!/^\d{1,17}$/.test(timestamp)) return { result: 'timestampForm' };
  const signatures = pasted.signature
    .trim()
    .split(/\s+/)
    .flatMap((one) => (one.startsWith('v1,') ? [bytesOf(one.slice(3))] : []))
    .filter((bytes) => bytes?.length === 32);
  if (signatures.length === 0) return { result: 'signatureForm' };

  const fits = async (body: string, at = timestamp) => {
    const text = new TextEncoder().encode(`${id}.${at}.${body}`);
    const all = signatures.map((bytes) => bytes && crypto.subtle.verify('HMAC', key, bytes, text));
    return (await Promise.all(all)).some((one) => one === true);
  };
  if (await fits(pasted.body)) return ageOf(Number(timestamp), nowMs);
  if (timestamp.length > 11 && (await fits(pasted.body, String(Math.floor(Number(timestamp) / 1_000)))))
    return { result: 'milliseconds' };
  const sent = await readSent(id);
  if (await anyFits(spacings(pasted.body), fits)) return { result: 'spaces' };
  if (await anyFits([...serialisations(pasted.body)], fits)) return { result: 'serialised' };
  const named = idIn(pasted.body);
  if (named !== undefined && named !== id) return { result: 'id', id: named };
  if (sent === undefined) return { result: 'unknown' };
  return sent === pasted.body ? { result: 'otherSecret' } : differenceOf(sent, pasted.body);
}

function ageOf(seconds: number, nowMs: number): Finding {
  const age = nowMs / 1_000 - seconds;
  if (age > toleranceSeconds) return { result: 'old', seconds: age };
  if (age < -toleranceSeconds) return { result: 'future', seconds: -age };
  return { result: 'valid' };
}

async function readKey(secret: string): Promise<CryptoKey | undefined> {
  const bytes = secret.startsWith('whsec_') ? bytesOf(secret.slice('whsec_'.length)) : undefined;
  if (!bytes || bytes.length < 16) return undefined;
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Reads base64; undefined for any other text. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

async function anyFits(
  bodies: readonly string[],
  fits: (body: string) => Promise<boolean>,
): Promise<boolean> {
  for (const body of bodies) if (await fits(body)) return true;
  return false;
}

/** A body without what terminals, editors and forms add around it. */
const spacings = (body: string) => [
  body.trim(),
  body.replaceAll('\r\n', '\n').trim(),
  body.replace(/^\uFEFF/, ''),
];

/** A body as Karat writes it, where it was parsed and written again. */
function* serialisations(body: string): Generator<string> {
  try {
    yield JSON.stringify(JSON.parse(body));
  } catch {
    // It is no JSON, and so no other form of it.
  }
}

function idIn(body: string): string | undefined {
  try {
    const { id } = JSON.parse(body);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

const shownCharacters = 24;

/** Returns the first place at which a body is not what was sent, counted from 1. */
function differenceOf(sent: string, pasted: string): Finding {
  let at = 0;
  while (at < sent.length && sent[at] === pasted[at]) at += 1;
  const around = (text: string) => text.slice(at, at + shownCharacters);
  return { result: 'changed', at: at + 1, sent: around(sent), pasted: around(pasted) };
}
