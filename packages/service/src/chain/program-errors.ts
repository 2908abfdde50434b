/**
 * The program's errors by code: the name that its source and documentation use, and the meaning. A table of our own,
 * because the generated client gives its texts away only where NODE_ENV is not `production`. Held to the client by a test.
 */
const errors: Readonly<Record<number, readonly [name: string, meaning: string]>> = {
  6000: ['Unauthorized', 'This signer does not have the role that the instruction needs.'],
  6001: ['MissingSignature', 'An account that must sign did not.'],
  6002: ['InvalidAccountOwner', 'An account is owned by another program than it must be.'],
  6003: [
    'InvalidAccountData',
    'The data of an account is not what it must be: length, kind, version or state.',
  ],
  6004: ['InvalidAddress', 'An account is not the one that the configuration names.'],
  6005: ['AccountAlias', 'Two accounts that must differ are the same.'],
  6006: ['InvalidMint', 'A mint, or the mint of a token account, is not the expected one.'],
  6007: ['InvalidTokenOwner', 'A token account belongs to another owner than it must.'],
  6008: ['TokenAccountFrozen', 'A token account is frozen.'],
  6009: ['AlreadyInitialized', 'The account exists already.'],
  6010: ['InvalidInstructionData', 'The instruction is unknown or its data has the wrong length.'],
  6011: ['InvalidArgument', 'An argument is outside its allowed values.'],
  6012: ['Paused', 'Instructions of this kind are paused.'],
  6013: ['IntegratorSuspended', 'The partner is suspended.'],
  6014: ['Expired', 'The instruction came after its expiry time.'],
  6015: ['FeeTooHigh', 'The fee is above the accepted or the allowed maximum.'],
  6016: ['ZeroAmount', 'An amount is zero, in or out.'],
  6017: ['TradeTooLarge', 'The trade is above the largest allowed one.'],
  6018: [
    'SlippageExceeded',
    'The output is below the accepted minimum, or the input above the accepted maximum.',
  ],
  6019: ['InsufficientLiquidity', 'The treasury does not have the amount.'],
  6020: ['InsufficientFunds', 'The user, the vault or escrow does not have the amount.'],
  6021: ['ArithmeticOverflow', 'A result does not fit into 64 bits.'],
  6022: ['OracleInvalidAccount', 'The price account has the wrong address, owner, length or discriminator.'],
  6023: ['OracleNotVerified', 'The price update is not fully verified.'],
  6024: ['OracleFeedMismatch', 'The price is of another feed.'],
  6025: ['OraclePriceInvalid', 'The price is zero or negative.'],
  6026: ['OracleExponent', 'The exponent of the price is outside -12 to 0.'],
  6027: ['OracleStale', 'The price is too old.'],
  6028: ['OracleFuture', 'The price is from the future.'],
  6029: ['OracleConfidence', 'The confidence interval of the price is too wide.'],
  6030: ['OracleOutOfBand', 'The price is outside the allowed band.'],
  6031: ['MarketClosed', 'The market is closed and no trading is allowed meanwhile.'],
  6032: ['BalanceMismatch', 'A balance after the transfers is not the computed one.'],
  6033: ['InvalidTokenProgram', 'The token program is not SPL Token.'],
  6034: ['NotEnoughAccounts', 'The instruction was given fewer accounts than it needs.'],
  6035: ['NotExecutive', 'This signer is no executive authority of the partner.'],
  6036: ['ExecutiveExists', 'An executive authority that is to be added is there already.'],
  6037: ['ExecutiveMissing', 'An executive authority that is to be removed is not there.'],
  6038: ['TooManyExecutives', 'A partner has at most 8 executive authorities.'],
  6039: ['NoExecutiveLeft', 'A partner must keep at least one executive authority.'],
  6040: ['EscrowShort', 'Escrow holds less gold than open redemptions need.'],
  6041: ['NothingToSweep', 'Escrow does not hold that much more than open redemptions need.'],
  6042: ['MintAboveAttestation', 'There would be more GOLD than is attested.'],
  6043: ['AttestationStale', 'The attestation is too old.'],
  6044: ['DailyLimitExceeded', 'More than the limit of 24 hours would be traded, or leave the treasury.'],
  6045: ['RecoveryNotReady', 'What was proposed can not be applied yet.'],
  6046: ['NothingProposed', 'Nothing is proposed for this authority.'],
  6047: ['OrderExecuted', 'The order was executed before.'],
  6048: ['PriceMoved', 'The price has moved further against the treasury than the trade allows.'],
  6049: ['NotClosable', 'The order of the receipt can still be executed, or could an hour ago.'],
  6050: ['StaleSequence', 'Something changed since the caller looked: look again.'],
};

/**
 * Name and meaning of an error code of the program: `OracleStale: The price is too old.`
 * Undefined for a code that is none of its own, such as one of the token program.
 */
export function describeProgramError(code: number): string | undefined {
  const known = errors[code];
  return known && `${known[0]}: ${known[1]}`;
}

/** Which instruction of a transaction failed, and how. */
export interface InstructionFailure {
  index: number;
  cause: unknown;
  /** Of a program's own error. */
  code: number | undefined;
}

/** Reads a transaction's error as nodes report it; undefined for one that is of no instruction. */
export function instructionFailureOf(error: unknown): InstructionFailure | undefined {
  const failure = memberOf(error, 'InstructionError');
  if (!Array.isArray(failure)) return undefined;
  const [index, cause] = failure;
  const code = memberOf(cause, 'Custom');
  return { index: Number(index), cause, code: code === undefined ? undefined : Number(code) };
}

/** Returns the chain's own words of an error. */
export function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error;
  return (
    JSON.stringify(error, (_, value) => (typeof value === 'bigint' ? Number(value) : value)) ?? 'unknown'
  );
}

/** Returns what a value from outside holds under a name; undefined for everything that holds nothing. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
