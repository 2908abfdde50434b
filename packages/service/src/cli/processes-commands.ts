import type { Command } from './command.js';

const processCommand = (name: string, summary: string): Command => ({
  name,
  summary,
  details: ['Several can run in one process: karat serve,index,keep,deliver'],
  options: [],
  takesWords: true,
  isEndless: true,
  run: async (call) => (await import('./processes.js')).start(call),
});

export const processesCommands: Command[] = [
  processCommand('serve', 'serve the APIs'),
  processCommand('index', 'read the chain and write the records; of several processes, one leads'),
  processCommand('keep', 'set the state of the market and watch the books; of several processes, one leads'),
  processCommand('deliver', 'send webhooks; several processes share the work'),
];
