import { expect } from 'vitest';
import { describePartnerApi, describeTradebookApi } from '../../../src/http/app.js';
import type { OpenApiDocument, Operation } from '../../../src/http/openapi/conventions.js';
import { describeOperatorApi } from '../../../src/http/operator/app.js';
import { expanded } from '../../expanded.js';
import type { ApiResponse } from '../../harness.js';
import { validatorWordsIn } from '../../validator-grammar.js';

/** The HTTP surfaces of the service, as the suites that hold for each of them see them. */

export type SurfaceName = 'partner' | 'tradebook' | 'operator';

/** One operation of the OpenAPI document, with everything that it refers to in its place. */
export interface SurfaceOperation {
  method: string;
  path: string;
  operation: Operation;
}

/** The error of a response, whichever way the surface writes it. */
export interface Refusal {
  code: string;
  message: string;
  field?: string;
}

export interface Surface {
  name: SurfaceName;
  document: OpenApiDocument;
  operations: SurfaceOperation[];
  /** Headers of a caller with that key or token. */
  credentials(secret: string): Record<string, string>;
  /** Well-formed credentials that do not exist. */
  unknownSecret: string;
  /** What the body of an error equals; `field` undefined: it blames no field. */
  failure(code: string, field?: string): object;
  /**
   * The error in the body of a response, undefined for a success. Throws when the body has not the surface's form, and when the
   * message is in the validator's own words.
   */
  refusalOf(response: ApiResponse): Refusal | undefined;
}

const message = () => expect.stringMatching(/\S/);
/** The page about the reason, or else about the code. */
const pageAbout = (code: string) => expect.stringMatching(`/(errors/${code}|reasons/[a-z_]+)$`);
const blaming = (field: string | undefined) => (field === undefined ? {} : { field });

function inOurWords(refusal: Refusal): Refusal {
  const words = validatorWordsIn(refusal.message);
  if (words !== undefined) throw new Error(`"${words}" of the validator stands in "${refusal.message}"`);
  return refusal;
}

/** Errors whose fields are not in an envelope; a success has no `error` but that of the endpoint that it has tested. */
const flat: Pick<Surface, 'failure' | 'refusalOf'> = {
  failure: (error, field) => ({ error, message: message(), doc_url: pageAbout(error), ...blaming(field) }),
  refusalOf({ status, body, text }) {
    const isError = body.error !== undefined && body.delivered === undefined;
    if (status < 300 === isError) throw new Error(`${status} does not fit ${text}`);
    if (status < 300) return undefined;
    if (typeof body.error !== 'string') throw new Error(`the code is no text: ${text}`);
    const { error: code, ...others } = body;
    return inOurWords({ code, ...others });
  },
};

/** `success` and `data`, or `success` and `error`: nothing else, and never both. */
const enveloped: Pick<Surface, 'failure' | 'refusalOf'> = {
  failure: (code, field) => ({
    success: false,
    error: { code, message: message(), docUrl: pageAbout(code), ...blaming(field) },
  }),
  refusalOf({ status, body, text }) {
    const good = status < 300;
    const fields = Object.keys(body).sort().join();
    if (body.success !== good || fields !== (good ? 'data,success' : 'error,success')) {
      throw new Error(`${status} does not fit ${text}`);
    }
    return good ? undefined : inOurWords(body.error);
  },
};

const byKey = (prefix: string): Pick<Surface, 'credentials' | 'unknownSecret'> => ({
  credentials: (key) => ({ 'x-api-key': key }),
  unknownSecret: `${prefix}${'0'.repeat(64)}`,
});

function described(document: object): Pick<Surface, 'document' | 'operations'> {
  const operations = Object.entries(expanded(document as OpenApiDocument).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  return { document: document as OpenApiDocument, operations };
}

export const partner: Surface = {
  name: 'partner',
  ...described(await describePartnerApi()),
  ...byKey('service_partner_'),
  ...flat,
};

export const tradebook: Surface = {
  name: 'tradebook',
  ...described(await describeTradebookApi()),
  ...byKey('service_tradebook_'),
  ...enveloped,
};

export const operator: Surface = {
  name: 'operator',
  ...described(await describeOperatorApi()),
  credentials: (token) => ({ authorization: `Bearer ${token}` }),
  unknownSecret: '0'.repeat(64),
  ...flat,
};
