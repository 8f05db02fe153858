//! Settings of the C library's memory allocator.

/// Limits the C library to one memory arena.
///
/// Threads that come and go (searches, index updates, merges) otherwise leave free memory in arenas
/// that other threads cannot use; over hours the desktop app held twice the memory in use. A
/// long-running program calls this at startup. It has no effect except on Linux with the GNU C
/// library and its allocator.
pub fn limit_malloc_arenas() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "the C library has no other way to set it from within")]
    // SAFETY: mallopt takes two integers and may be called at any time.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Returns free memory to the system, which the C library otherwise keeps below memory in use. It
/// has no effect where [`limit_malloc_arenas`] has none.
pub fn trim_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "the C library has no other way to be asked from within")]
    // SAFETY: malloc_trim takes an integer and may be called at any time, by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
