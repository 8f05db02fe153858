//! How this process takes memory from the system.

/// Has the C library keep one store of free memory in place of one for each of many threads. Threads that come and go (searches,
/// updates of the indexes, merges) otherwise leave what they had in stores of their own, where the others cannot take it: over hours the
/// desktop held twice what it used. To be called first thing by a program that stays. Elsewhere than on Linux with the GNU C
/// library, and in a program with another allocator, it does nothing of note.
pub fn keep_together() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "the C library has no other way to set it from within")]
    // SAFETY: mallopt takes two integers and may be called at any time.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Gives memory that is free back to the system: the C library keeps what lies below anything that is in use. Does nothing of note
/// where [`keep_together`] does not.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "the C library has no other way to be asked from within")]
    // SAFETY: malloc_trim takes an integer and may be called at any time, by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
