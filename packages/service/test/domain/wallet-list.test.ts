import { describe, expect, test } from 'vitest';
import { parseWalletList, WalletListError } from '../../src/domain/wallet-list.js';
import { newWallet } from '../harness.js';

const [one, two] = [newWallet().address, newWallet().address];

describe('a list of wallets', () => {
  test.each([
    ['one address a line', `${one}\n${two}\n`],
    ['lines that end as on Windows, and a byte order mark', `\uFEFF${one}\r\n${two}\r\n`],
    ['comments and blank lines', `# from the ministry\n\n${one} # since 2024\n   \n\t${two}`],
    ['CSV with the names of its columns', `wallet_address,listed\n"${one}","2024, May"\n${two},2025`],
    ['CSV with semicolons', `Address;Programme\n${one};X\n${two};Y`],
    ['an address twice', `${one}\n${two}\n${one}\n`],
  ])('a list of wallets may have %s', (_what, text) => {
    expect(parseWalletList(text)).toEqual(new Set([one, two]));
  });

  test.each([
    ['an address of another chain', `${one}\n0x8589427373d6d84e98730d7795d8f6f8731fda16\n`, 'line 2'],
    ['half an address', `${one}\n${two.slice(0, 20)}`, 'line 2'],
    ['names of columns in the middle', `${one}\naddress\n${two}`, 'line 2'],
    ['an address in the second field', `1,${one}`, 'line 1'],
    ['nothing', '', 'no address'],
    ['comments alone', '# none\n', 'no address'],
  ])('a list of wallets cannot have %s', (_what, text, message) => {
    expect(() => parseWalletList(text)).toThrow(WalletListError);
    expect(() => parseWalletList(text)).toThrow(message);
  });
});
