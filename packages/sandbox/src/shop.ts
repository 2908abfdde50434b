import { readFile } from 'node:fs/promises';
import { startShop } from '../../../examples/shop/server.mjs';
import type { Closers } from './closers.js';
import { hasCode } from './files.js';
import type { SandboxOptions } from './options.js';
import { localUrl, portError } from './ports.js';
import type { ApiKeys, StateFolder } from './state-folder.js';
import type { Key, World } from './world.js';

const usualPort = 8070;

/**
 * Opens the shop of examples/shop as the first partner, with a test wallet for its page. Returns its URL, or undefined when
 * the partner has no key of the API. Throws a `UserError` for a port of the user's that is taken.
 */
export async function openShop(
  { host, shopPort, folder }: SandboxOptions & { folder: StateFolder },
  world: World,
  { apiUrl, apiKeys }: { apiUrl: string; apiKeys: ApiKeys },
  closers: Closers,
): Promise<string | undefined> {
  const [partner] = world.partners;
  const apiKey = apiKeys[partner?.plan.slug ?? ''];
  if (!partner || apiKey === undefined) return undefined;
  const read = async ({ file }: Key): Promise<number[]> =>
    JSON.parse(await readFile(folder.file(file), 'utf8'));
  const testWallet = { address: world.shopWallet.address, key: await read(world.shopWallet) };
  const shop = { baseUrl: apiUrl, apiKey, partnerKey: await read(partner.wallet), host, testWallet };
  const port = shopPort ?? usualPort;
  const opened = await startShop({ ...shop, port }).catch((error: unknown) => {
    if (shopPort !== undefined || !hasCode(error, 'EADDRINUSE'))
      throw portError(error, host, port, '--shop-port');
    return startShop({ ...shop, port: 0 });
  });
  closers.add('The shop', () => opened.close());
  return localUrl(host, opened.port);
}
