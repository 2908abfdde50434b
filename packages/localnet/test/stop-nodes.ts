import { afterAll } from 'vitest';
import { stopNodes } from './harness.js';

// Runs before every test file. In the harness itself it would run for the first file of a worker alone, which loads it
// once, and the nodes of all others would go on beside the tests that measure time and memory.
afterAll(stopNodes);
