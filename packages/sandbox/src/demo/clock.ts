import type { Scene } from './cast.js';
import { cheat } from './chain.js';

const readyWithinMs = 20_000;

/** Returns the clock of the chain and the service, Unix milliseconds: in a sandbox it can be ahead of ours. */
export async function nowMs({ rpc }: Pick<Scene, 'rpc'>): Promise<number> {
  const slot = await rpc.getSlot({ commitment: 'processed' }).send();
  const seconds = await rpc.getBlockTime(slot).send();
  return Number(seconds) * 1_000;
}

/** Moves the clock of chain and service forward, and waits until the service quotes again. */
export async function passTime(
  { sandbox: { info }, teller }: Scene,
  seconds: number,
  why: string,
): Promise<void> {
  await teller.step(`Move the clock by ${textOf(seconds)}`, async (figure) => {
    figure('because', why);
    await cheat(info.rpc_url, 'karat_warp', { seconds });
    const end = Date.now() + readyWithinMs;
    while (!(await fetch(`${info.partner_api_url}/ready`)).ok) {
      if (Date.now() > end) throw new Error('The service did not become ready again');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
}

function textOf(seconds: number): string {
  const hours = Math.floor(seconds / 3_600);
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  return hours > 0 ? `${hours} h` : `${Math.ceil(seconds / 60)} min`;
}
