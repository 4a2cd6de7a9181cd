/** Stryker runs tests in worker threads, in which Node refuses to set a umask. Other tests check the file modes. */
process.umask = (() => 0o022) as typeof process.umask;
