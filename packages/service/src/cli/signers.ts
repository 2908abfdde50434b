import type { Address } from '@solana/kit';
import {
  changeServiceSigners,
  readServiceSigners,
  type ServiceSigners,
  type SignerChange,
} from '../actions/change-service-signers.js';
import { asWalletAddress, noKey } from '../chain/wallet.js';
import { commandLine } from '../domain/audit.js';
import { readFeePayer, toChange } from './chain.js';
import { type Call, done, type Outcome, UsageError } from './command.js';
import { mustBe } from './texts.js';
import { withContext } from './with-database.js';

/** `chain signers` */
export async function signers(call: Call): Promise<Outcome> {
  const change = readChange(call);
  const feePayer = readFeePayer(call);
  return done(
    toView(
      await withContext(call, (ctx) =>
        change ? changeServiceSigners(ctx, commandLine, change, feePayer) : readServiceSigners(ctx),
      ),
    ),
  );
}

function readChange(call: Call): SignerChange | undefined {
  const add = readKey(call, 'add');
  const remove = readKey(call, 'remove');
  if (add && remove) throw new UsageError('--add and --remove are two changes: make one after the other');
  if (add) return { add };
  return remove && { remove };
}

function readKey(call: Call, name: 'add' | 'remove'): Address | undefined {
  const text = call.find(name);
  if (text === undefined) return undefined;
  const key = asWalletAddress(text);
  if (key && key !== noKey) return key;
  throw mustBe(call, name, 'the address of a key');
}

function toView({ signers, change }: ServiceSigners) {
  return { service_signers: signers, ...toChange(change) };
}
