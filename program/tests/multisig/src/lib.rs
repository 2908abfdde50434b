//! Stands for a multisig program in tests: it signs by CPI for an account that has no key, and asks nobody whether it may.
//! Accounts: that account, the program to call, and what the call takes; data: that of the call.
//! `bash program/build.sh --to program/tests/multisig.so program/tests/multisig` builds it.
#![cfg_attr(target_arch = "bpf", no_std)]
#![cfg(target_arch = "bpf")]

#[path = "../../../src/memory.rs"]
mod memory;

use core::mem::MaybeUninit;
use pinocchio::{
    cpi::{invoke_signed_with_bounds, Seed, Signer},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    program_entrypoint,
    syscalls::abort,
    AccountView, Address, ProgramResult,
};

const MAX_ACCOUNTS: usize = 24;
const SEED: &[u8] = b"multisig";

program_entrypoint!(process, MAX_ACCOUNTS);

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: the syscall takes nothing and ends the program.
    unsafe { abort() }
}

fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [vault, target, rest @ ..] = &*accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let (_, bump) = Address::try_find_program_address(&[SEED], program_id).ok_or(ProgramError::InvalidSeeds)?;
    let mut metas = [const { MaybeUninit::<InstructionAccount>::uninit() }; MAX_ACCOUNTS];
    let mut views = [vault; MAX_ACCOUNTS];
    for (index, account) in rest.iter().enumerate() {
        let is_signer = account.is_signer() || account.address() == vault.address();
        metas[index].write(InstructionAccount::new(account.address(), account.is_writable(), is_signer));
        views[index] = account;
    }
    // SAFETY: the first ones were written just now.
    let metas = unsafe { core::slice::from_raw_parts(metas.as_ptr() as *const InstructionAccount, rest.len()) };
    let instruction = InstructionView { program_id: target.address(), accounts: metas, data };
    let bump = [bump];
    let seeds = [Seed::from(SEED), Seed::from(&bump)];
    invoke_signed_with_bounds::<MAX_ACCOUNTS, _>(&instruction, &views[..rest.len()], &[Signer::from(&seeds)])
}
