/** Stryker runs tests in worker threads, in which Node refuses to set a umask. The file modes have tests elsewhere. */
process.umask = (() => 0o022) as typeof process.umask;
