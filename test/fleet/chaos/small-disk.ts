/** A file system of a few megabytes or gigabytes, which a test can fill to the last byte. Only root can mount it. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Size in bytes of the first pieces that fill the disk. Later pieces are smaller. */
const PIECE = 1 << 20;

/** A mounted file system, which the caller must unmount. */
export class SmallDisk {
  /** The mount point. Every user may write there. */
  readonly path: string;
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, 'disk');
  }

  /**
   * Mounts an empty file system.
   * @param size in the notation of mount and truncate, such as `112M` or `8G`
   * @param on memory, or a sparse file, which takes only as much space as is written to it
   * @throws Error if the system does not permit it
   */
  static mount(size: string, on: 'memory' | 'file'): SmallDisk {
    const directory = mkdtempSync(join(tmpdir(), 'fulgurite-disk-'));
    const disk = new SmallDisk(directory);
    const run = (program: string, ...args: string[]): void => {
      execFileSync(program, args, { stdio: 'ignore' });
    };
    try {
      run('chmod', '755', directory);
      run('mkdir', disk.path);
      if (on === 'memory') run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk.path);
      else {
        const image = join(directory, 'image');
        run('truncate', '-s', size, image);
        run('mkfs.ext4', '-q', '-m', '0', image);
        run('mount', '-o', 'loop', image, disk.path);
      }
      run('chmod', '1777', disk.path);
    } catch (error) {
      rmSync(directory, { recursive: true });
      throw error;
    }
    return disk;
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  get #ballast(): string {
    return join(this.path, 'ballast');
  }

  /** Fills the file system to the last byte. */
  fill(): void {
    // The file system needs some space for the file's own metadata.
    const most = Math.max(1, this.freeBytes - 4 * PIECE);
    execFileSync('fallocate', ['-l', `${most}`, this.#ballast]);
    const file = openSync(this.#ballast, 'a');
    const piece = Buffer.alloc(PIECE);
    for (let size = PIECE; size >= 1; ) {
      try {
        writeSync(file, piece, 0, size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size >>= 1;
      }
    }
    closeSync(file);
  }

  /** Removes the files that `fill` wrote. */
  makeRoom(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.path]);
    rmSync(this.#directory, { recursive: true });
  }
}
