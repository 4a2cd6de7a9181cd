/**
 * The exit code of a daemon that failed to start. A service manager can use it to decide whether to retry: after 78
 * (EX_CONFIG of sysexits.h), the operator must first correct something; after 1, a later start may succeed.
 */
import { FulguriteError } from '../model/errors.ts';
import { StoreError, type StoreProblem } from '../store/store-error.ts';
import { UsageError } from './client/client-arguments.ts';
import { SettingsError } from './daemon/settings.ts';
import { DataDirectoryError, DirectoryInUse } from './files/data-directory.ts';
import { CertificateError } from './files/http-certificate.ts';
import { IdentityError } from './files/identity.ts';
import { SecretFileError } from './files/secret-file.ts';

/** The operator must first fix the options, the files that they name, or the data directory. */
export const EXIT_CONFIG = 78;
/** Any other failure. */
export const EXIT_FAILED = 1;

const CONFIGURATION = [
  UsageError,
  DataDirectoryError,
  IdentityError,
  SecretFileError,
  SettingsError,
  CertificateError,
];
const LASTING_PROBLEMS: readonly StoreProblem[] = ['newer-schema', 'unprepared', 'corrupt', 'foreign'];

/** The exit code for an error at the start. */
export function startExitCode(error: unknown): number {
  if (error instanceof DirectoryInUse) return EXIT_FAILED;
  const lasts =
    CONFIGURATION.some((kind) => error instanceof kind) ||
    (error instanceof StoreError && LASTING_PROBLEMS.includes(error.problem)) ||
    (error instanceof FulguriteError && error.name === 'graphSource');
  return lasts ? EXIT_CONFIG : EXIT_FAILED;
}
