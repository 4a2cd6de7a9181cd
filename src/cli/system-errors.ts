/**
 * Errors of the system in words, for people who start the program. Node.js writes `ENOENT: no such file or directory,
 * stat '/x'`, and the path is often stated before that.
 */
const SYSTEM_ERROR = /\bE[A-Z0-9]+: ([^,']+), \w+(?: '([^']*)')?(?=$|[.,;:)])/g;

/** The message with every error of the system as `no such file or directory`, preceded by its path if that is missing. */
export function inSystemWords(message: string): string {
  return message.replace(SYSTEM_ERROR, (_, words: string, path: string | undefined, at: number) =>
    path === undefined || message.slice(0, at).includes(path) ? words : `${path}: ${words}`,
  );
}
