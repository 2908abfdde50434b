import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MerkleTree, rootOf } from '../../../src/domain/reserves/merkle.js';

const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');
const leavesOf = (count: number) => Array.from({ length: count }, (_, index) => Buffer.from(`bar ${index}`));

/** The definition of RFC 6962, section 2.1, word for word. */
function definition(leaves: Buffer[]): Buffer {
  const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  const [only] = leaves;
  if (!only) return sha(Buffer.alloc(0));
  if (leaves.length === 1) return sha(Buffer.concat([Buffer.of(0), only]));
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha(
    Buffer.concat([Buffer.of(1), definition(leaves.slice(0, split)), definition(leaves.slice(split))]),
  );
}

describe('a tree', () => {
  test('a tree has the roots of the log that Certificate Transparency tests with', () => {
    const inputs = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ];
    const roots = [1, 2, 3, 8].map((count) =>
      hex(new MerkleTree(inputs.slice(0, count).map((input) => Buffer.from(input, 'hex'))).root),
    );
    expect(roots).toEqual([
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]);
    expect(hex(new MerkleTree([]).root)).toBe(createHash('sha256').digest('hex'));
  });

  test('a tree of any size is the one of the definition, and proves each of its leaves', () => {
    for (let count = 1; count <= 70; count += 1) {
      const leaves = leavesOf(count);
      const tree = new MerkleTree(leaves);
      expect(hex(tree.root), `${count}`).toBe(hex(definition(leaves)));
      for (const [index, leaf] of leaves.entries()) {
        expect(hex(rootOf(leaf, tree.prove(index))), `${index} of ${count}`).toBe(hex(tree.root));
      }
    }
  });

  test('proves no other leaf, no other place and no shorter or longer path', () => {
    const leaves = leavesOf(11);
    const tree = new MerkleTree(leaves);
    const proof = tree.prove(6);
    const [leaf, other] = [leaves[6], leaves[7]] as [Buffer, Buffer];
    expect(hex(rootOf(other, proof))).not.toBe(hex(tree.root));
    for (let index = 0; index < 11; index += 1)
      if (index !== 6) expect(hex(rootOf(leaf, { ...proof, index }))).not.toBe(hex(tree.root));
    expect(rootOf(leaf, { ...proof, path: proof.path.slice(1) })).toBeUndefined();
    expect(rootOf(leaf, { ...proof, path: [...proof.path, new Uint8Array(32)] })).toBeUndefined();
    expect(() => tree.prove(11)).toThrow('there is no leaf 11');
  });
});
