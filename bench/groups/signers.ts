/**
 * Quotes with the service's key in an HSM, next to quotes with the key in a file: the same key, processes that take turns
 * under the same load. `karat-signer` holds the key in the HSM, on the core of the service. The HSM is SoftHSM, whose signatures take this machine's processor; a network HSM takes time instead.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSoftHsm } from '../../packages/service/test/soft-hsm.js';
import { type BenchOptions, type Figure, median } from '../figures.js';
import { end, pause, serviceCore, spawnOn } from '../machine.js';
import { measureLoad, type World } from '../world.js';

const karatSigner = fileURLToPath(new URL('../../packages/signer/dist/main.js', import.meta.url));

const connections = 50;

export async function measure(world: World, { quick }: BenchOptions): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [3, 1] : [5, 3];
  const hsm = startSoftHsm();
  const keyFile = JSON.parse(readFileSync(world.chain.config.serviceSignerUrl, 'utf8')) as number[];
  const url = hsm.put('service', { secretKey: Uint8Array.from(keyFile) });
  const file = await world.start('serve');
  const socket = join(hsm.folder, 'sign.sock');
  const signer = spawnOn(serviceCore, [karatSigner, '--socket', socket], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      ...hsm.env,
      KARAT_PROGRAM_ID: world.chain.config.programId,
      KARAT_SERVICE_SIGNER: url,
    },
  });
  for (let tries = 0; tries < 600 && !existsSync(socket); tries += 1) await pause(50);
  const token = await world.start('serve', { env: { KARAT_SERVICE_SIGNER: `socket:${socket}` } });
  try {
    const job = { requests: world.requests, connections, seconds };
    const taken = { file: [] as number[], token: [] as number[], p99: [] as number[] };
    for (const target of [file, token]) await measureLoad(world, target, job);
    for (let round = 0; round < rounds; round += 1) {
      const load = await measureLoad(world, file, job);
      taken.file.push(load.responses / load.elapsed);
      const inToken = await measureLoad(world, token, job);
      taken.token.push(inToken.responses / inToken.elapsed);
      taken.p99.push(inToken.p99);
    }
    return [
      { name: 'quotes, key in a file', value: median(taken.file), unit: 'per second', better: 'higher' },
      {
        name: 'quotes, key in SoftHSM',
        value: median(taken.token),
        unit: 'per second',
        ratio: {
          to: 'key in a file',
          value: median(taken.token.map((each, round) => each / (taken.file[round] ?? Number.NaN))),
        },
        required: 0.3,
        better: 'higher',
        detail: { p99: median(taken.p99) },
      },
    ];
  } finally {
    await Promise.all([file.stop(), token.stop(), end(signer)]);
    hsm.stop();
  }
}
