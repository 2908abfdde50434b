export { decodeBase58, decodeLongBase58, encodeBase58 } from './base58.js';
export {
  type InstructionPlace,
  isWritable,
  keyBytes,
  locateMessage,
  locateTransaction,
  type MessageLayout,
  maxTransactionBytes,
  requireSound,
  signatureBytes,
  UnknownVersionError,
  versionOfTransaction,
  WireError,
} from './layout.js';
export { type FilledMessage, type Key, keyOf, MessageTemplate } from './message-template.js';
export {
  readLegacyMessage,
  readLegacyTransaction,
  readTransaction,
  type WireInstruction,
  type WireTransaction,
  writeTransaction,
} from './transaction.js';
