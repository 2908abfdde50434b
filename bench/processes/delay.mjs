// Stands for the way to a node far away: whatever goes through arrives half a round trip later, and a connection takes a
// whole one to be made. Arguments: port of the node, milliseconds of a round trip. Prints its own port.
import { connect, createServer } from 'node:net';

const [target, roundTrip] = process.argv.slice(2).map(Number);

function pass(from, to) {
  from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), roundTrip / 2));
  from.on('end', () => setTimeout(() => to.end(), roundTrip / 2));
  from.on('error', () => to.destroy());
}

const server = createServer({ noDelay: true }, (near) => {
  near.pause();
  setTimeout(() => {
    const far = connect({ host: '127.0.0.1', port: target, noDelay: true });
    pass(near, far);
    pass(far, near);
    near.resume();
  }, roundTrip);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
