const RAW_BLOCK_BYTES_MAX = 128 * 1024;

/**
 * Wraps bytes in a Zstandard frame of raw (stored) blocks: valid for every decoder, not smaller than its input.
 * Node 20 has no Zstandard of its own. Layout: RFC 8878, section 3.1.1 (magic, frame header, blocks).
 */
export function zstdFrame(bytes: Uint8Array): Uint8Array {
  // Frame header descriptor 0xa0: 4-byte content size, single segment, no checksum, no dictionary.
  const header = Buffer.alloc(9);
  header.writeUInt32LE(0xfd2fb528, 0);
  header[4] = 0xa0;
  header.writeUInt32LE(bytes.length, 5);
  const parts: Uint8Array[] = [header];
  for (let at = 0; at === 0 || at < bytes.length; at += RAW_BLOCK_BYTES_MAX) {
    const block = bytes.subarray(at, at + RAW_BLOCK_BYTES_MAX);
    const last = at + RAW_BLOCK_BYTES_MAX >= bytes.length ? 1 : 0;
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE(block.length * 8 + last, 0, 3);
    parts.push(blockHeader, block);
  }
  return Buffer.concat(parts);
}
