import { parseArgs } from 'node:util';
import { KaratError } from '@karat/sdk';
import { findSandbox } from './demo/running-sandbox.js';
import { playStory } from './demo/story.js';
import { createTeller } from './demo/teller.js';
import { openScreen } from './screen.js';
import { UserError, wrongArguments } from './user-error.js';

const screen = openScreen();

const help = `npm run demo -- [--state-dir DIR]: against the sandbox that runs on DIR, plays a partner whose customer buys,
sells and redeems gold, and whose treasurer trades for the vault

  --state-dir DIR  KARAT_STATE_DIR  state folder of the running sandbox [.karat]
  --help`;

function readArguments(): { help: boolean; stateDir: string } {
  const options = { help: { type: 'boolean', short: 'h' }, 'state-dir': { type: 'string' } } as const;
  try {
    const { values } = parseArgs({ options });
    return {
      help: values.help === true,
      stateDir: values['state-dir'] || process.env.KARAT_STATE_DIR || '.karat',
    };
  } catch (error) {
    throw wrongArguments(error, Object.keys(options));
  }
}

async function main(): Promise<void> {
  const given = readArguments();
  if (given.help) {
    screen.print(help);
    return;
  }
  await playStory(await findSandbox(given.stateDir), createTeller(screen));
}

main().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  const message = error instanceof KaratError ? `${error.code}: ${text}` : text;
  screen.warn(error instanceof UserError ? message : `The demo failed: ${message}`);
  process.exitCode = 1;
});
