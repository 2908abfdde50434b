/**
 * The health check of the sandbox's image: exits with 0 if the sandbox of the state folder has started and its API responds.
 * Runs every few seconds, so that it imports nothing of Karat.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

try {
  const info = JSON.parse(
    readFileSync(join(process.env.KARAT_STATE_DIR || '.karat', 'sandbox.json'), 'utf8'),
  );
  // From here, the name in the address may lead elsewhere.
  const { port } = new URL(info.partner_api_url);
  const { ok } = await fetch(`http://127.0.0.1:${port}/health`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
