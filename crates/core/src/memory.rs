//! Settings of the C library's memory allocator.

/// Limits the GNU C library on Linux to one memory arena. A long-running program calls this at
/// startup.
///
/// Threads that end (searches, index updates, merges) otherwise leave free memory in arenas that
/// other threads cannot use; after hours, the desktop app held twice the memory that it used.
pub fn limit_malloc_arenas() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "the C library has no safe interface")]
    // SAFETY: mallopt takes two integers and may be called at any time.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Returns free memory to the system on Linux with the GNU C library; does nothing elsewhere.
pub fn trim_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "the C library has no safe interface")]
    // SAFETY: malloc_trim takes an integer and may be called at any time, by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
