// Signs a message as long as a trade's, again and again: no quote can cost less than its signature.
import sodium from 'sodium-native';

const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
sodium.crypto_sign_keypair(publicKey, secretKey);

process.on('message', ({ seconds, bytes }) => {
  const message = Buffer.alloc(bytes, 7);
  const end = performance.now() + seconds * 1_000;
  const cpu = process.cpuUsage();
  let count = 0;
  while (performance.now() < end) {
    for (let i = 0; i < 100; i += 1) sodium.crypto_sign_detached(signature, message, secretKey);
    count += 100;
  }
  const { user, system } = process.cpuUsage(cpu);
  process.send({ perCpuSecond: count / ((user + system) / 1e6) });
});
process.on('disconnect', () => process.exit());
