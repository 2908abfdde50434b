import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file that everyone may have. */
export interface Asset {
  type: string;
  content: Buffer;
}

/** For assets whose address changes with their content. */
export const cachedForEver = 'public, max-age=31536000, immutable';

const compressible = /^(text\/|application\/json|image\/svg)/;
const compress = promisify(gzip);
const compressed = new WeakMap<Asset, Promise<Buffer>>();

/** Sends an asset, compressed where that helps and the caller takes it; each is compressed once. */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  cacheControl: string,
): Promise<FastifyReply> {
  reply.headers({ 'cache-control': cacheControl, vary: 'accept-encoding' }).type(asset.type);
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding']));
  if (!takesGzip || !compressible.test(asset.type)) return reply.send(asset.content);
  let smaller = compressed.get(asset);
  if (smaller === undefined) {
    smaller = compress(asset.content, { level: 9 });
    compressed.set(asset, smaller);
  }
  return reply.header('content-encoding', 'gzip').send(await smaller);
}
