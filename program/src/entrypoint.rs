//! Where the runtime enters, and what a panic becomes.

use crate::processor::process;
use pinocchio::{program_entrypoint, syscalls::abort};

/// A vault's purchase takes the most, 19; further ones are ignored.
const MAX_ACCOUNTS: usize = 20;

program_entrypoint!(process, MAX_ACCOUNTS);

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: the syscall takes nothing and ends the program, which undoes the transaction.
    unsafe { abort() }
}
