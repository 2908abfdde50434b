import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const serviceMain = fileURLToPath(new URL('../../../service/src/main.ts', import.meta.url));

/**
 * Does an operator's move as people of the service would at a command line: `operator redemption <move> <id>`, against
 * the sandbox's database. Returns the redemption's status. Throws with what the command said when it refused.
 */
export async function operatorMove(
  databaseUrl: string,
  move: 'prepare' | 'ready' | 'collect' | 'cancel',
  redemptionId: string,
  note: string,
): Promise<string> {
  const command = [serviceMain, 'operator', 'redemption', move, redemptionId, '--note', note];
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  try {
    // This process reads TypeScript by the same options, and from the same folder.
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, ...command], {
      env,
    });
    return String(JSON.parse(stdout).status);
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(said || (error instanceof Error ? error.message : String(error)));
  }
}

const finalWithinMs = 60_000;

/**
 * The same, tried until the chain can no longer undo the payment: nobody may begin to prepare before that, some 13 seconds
 * after it landed.
 */
export async function operatorMoveWhenFinal(...move: Parameters<typeof operatorMove>): Promise<string> {
  const end = Date.now() + finalWithinMs;
  for (;;) {
    try {
      return await operatorMove(...move);
    } catch (error) {
      const pending = error instanceof Error && error.message.includes('could still undo its payment');
      if (!pending || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
