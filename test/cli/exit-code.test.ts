/** The exit code of a start that is refused: 78 if only the operator can help, 1 if waiting may help. */
import { expect, test } from 'vitest';
import { UsageError } from '../../src/cli/client/client-arguments.ts';
import { SettingsError } from '../../src/cli/daemon/settings.ts';
import { startExitCode } from '../../src/cli/exit-code.ts';
import { DataDirectoryError, DirectoryInUse } from '../../src/cli/files/data-directory.ts';
import { CertificateError } from '../../src/cli/files/http-certificate.ts';
import { IdentityError } from '../../src/cli/files/identity.ts';
import { SecretFileError } from '../../src/cli/files/secret-file.ts';
import { ConfigError } from '../../src/cli/options/gather-options.ts';
import { HttpServerError } from '../../src/http/http-server.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { SocketPathError } from '../../src/rpc/socket-server.ts';
import { StoreError } from '../../src/store/store-error.ts';

test.each<[number, Error]>([
  [78, new UsageError('an unknown option')],
  [78, new ConfigError('an unknown name in a file')],
  [78, new DataDirectoryError('another node’s')],
  [78, new IdentityError('no key')],
  [78, new SecretFileError('no secret')],
  [78, new SettingsError('no setting')],
  [78, new CertificateError('no certificate')],
  [78, new FulguriteError('graphSource', 'no graph')],
  [78, new StoreError('newer-schema', 'file', 'newer')],
  [78, new StoreError('corrupt', 'file', 'damaged')],
  [78, new StoreError('foreign', 'file', 'another program’s')],
  [1, new StoreError('unavailable', 'file', 'a full disk')],
  [1, new DirectoryInUse('another daemon')],
  [1, new SocketPathError('another daemon')],
  [1, new HttpServerError('the port is taken')],
  [1, new FulguriteError('nodeAway', 'the node starts')],
  [1, new Error('anything')],
])('%i: %s', (code, error) => expect(startExitCode(error)).toBe(code));
