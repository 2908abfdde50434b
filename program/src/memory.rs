//! The memory functions that the compiler calls for lengths it doesn't know; the target has none of its own, the runtime does.

use pinocchio::syscalls::{sol_memcmp_, sol_memcpy_, sol_memmove_, sol_memset_};

/// # Safety
/// As C's `memcpy`: both valid for `n` bytes, no overlap.
#[no_mangle]
pub unsafe extern "C" fn memcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    sol_memcpy_(dst, src, n as u64);
    dst
}

/// # Safety
/// As C's `memmove`: both valid for `n` bytes.
#[no_mangle]
pub unsafe extern "C" fn memmove(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    sol_memmove_(dst, src, n as u64);
    dst
}

/// # Safety
/// As C's `memset`: valid for `n` bytes.
#[no_mangle]
pub unsafe extern "C" fn memset(s: *mut u8, c: i32, n: usize) -> *mut u8 {
    sol_memset_(s, c as u8, n as u64);
    s
}

/// # Safety
/// As C's `memcmp`: both valid for `n` bytes.
#[no_mangle]
pub unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, n: usize) -> i32 {
    let mut result = 0i32;
    sol_memcmp_(left, right, n as u64, &mut result);
    result
}

/// # Safety
/// As `bcmp`: both valid for `n` bytes.
#[no_mangle]
pub unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, n: usize) -> i32 {
    memcmp(left, right, n)
}
