import Value from 'typebox/value';
import { createPartner } from '../actions/create-partner.js';
import { commandLine } from '../domain/audit.js';
import { Label } from '../http/schemas.js';
import { type Call, done, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';
import { withContext } from './with-database.js';

/** `partner create` */
export async function create(call: Call): Promise<Outcome> {
  const input = {
    name: readName(call),
    feePercentage: readFee(call),
    walletAddress: call.find('wallet-address'),
  };
  const { partner, wallets } = await withContext(call, async (ctx) => {
    // Which wallets are the house's is in the program's configuration.
    await ctx.chain.start();
    return createPartner(ctx, commandLine, input);
  });
  return done({
    partner_id: partner.id,
    name: partner.name,
    status: partner.status,
    fee_percentage: input.feePercentage,
    wallets: wallets.map(({ walletAddress }) => walletAddress),
  });
}

function readName(call: Call): string {
  const name = call.get('name');
  // The rule of the API.
  if (Value.Check(Label(255), name)) return name;
  throw new UsageError(
    `${call.sourceOf('name')} must have 1 to 255 characters and none that cannot be printed`,
  );
}

function readFee(call: Call): number {
  const text = call.get('fee-percentage');
  if (/^\d{1,3}(\.\d{1,20})?$/.test(text)) return Number(text);
  throw new UsageError(
    `${call.sourceOf('fee-percentage')} must be a fraction such as 0.015, not ${quoted(text)}`,
  );
}
