// What each thread of `SignaturePool` runs.
import { parentPort } from 'node:worker_threads';
import { verifyJob } from './signatures.mjs';

parentPort?.on('message', (/** @type {import('./signatures.mjs').Job} */ job) => {
  const invalid = verifyJob(job);
  parentPort?.postMessage({ id: job.id, invalid }, [invalid.buffer]);
});
