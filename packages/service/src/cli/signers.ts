import {
  changeServiceSigners,
  readServiceSigners,
  type ServiceSigners,
  type SignerChange,
} from '../actions/program/change-service-signers.js';
import { commandLine } from '../domain/audit.js';
import { readFeePayer, readIfGiven, readWallet, toChange } from './chain.js';
import { type Call, done, type Outcome, UsageError } from './command.js';
import { withContext } from './with-database.js';

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
  const add = readIfGiven(call, 'add', readWallet);
  const remove = readIfGiven(call, 'remove', readWallet);
  if (add && remove) throw new UsageError('--add and --remove are separate changes: run one after the other');
  if (add) return { add };
  return remove && { remove };
}

function toView({ signers, change }: ServiceSigners) {
  return { service_signers: signers, ...toChange(change) };
}
