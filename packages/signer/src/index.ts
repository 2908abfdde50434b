export { guard, type OnRefused, type Refused } from './guard.js';
export { createRandomSigner, createSigner, loadSigner, readPrivateFile } from './key-file.js';
export { keyFileOf, schemeOf, shownOf } from './key-url.js';
export { PolicyRefusal, policyRules, SigningPolicy } from './policy.js';
export { goldMintBytes, guardProgram, maxGuards, memoProgram, token2022Program } from './programs.js';
export { type KeyName, keySettings, maxSignaturesPerMinute, roles, signWithinMs } from './settings.js';
export type { SocketResult } from './sign-server.js';
export { proofText, type Signer, SignerError, verifySignature } from './signer.js';
export { StatementPolicy } from './statement-policy.js';
