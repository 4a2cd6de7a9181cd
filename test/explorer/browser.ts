/**
 * The explorer in a real browser, served by a real node on a simulated network. Each test file has one
 * browser with one tab, and one node. A page fails its test if it causes an error on the console or a request
 * to a different server, or if axe finds an accessibility problem for people who use it without sight, mouse
 * or colours.
 *
 * Tests wait for what they expect to see, never for time. They read geometry and attributes, never pixels.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { describeNeeding } from '../needs.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of Chromium. Undefined if it is not installed. */
export const CHROMIUM = [process.env.CHROMIUM ?? '', ...PLACES].find(
  (path) => path !== '' && existsSync(path),
);

/** Widths of a phone's and a desktop's window, in pixels. */
export const WIDTHS = [360, 1280] as const;
const HEIGHT = 800;
const SCHEMES = ['light', 'dark'] as const;
/**
 * Milliseconds after which the test fails if an expected element does not appear. Large, for busy machines.
 */
const PATIENCE_MS = 30_000;

/** Reads a value repeatedly until it is as expected. */
export const soon = (read: () => unknown): ReturnType<typeof expect.poll> =>
  expect.poll(read, { timeout: PATIENCE_MS });

/**
 * The page of the explorer under test. One tab serves all tests of a file, because opening a tab takes
 * seconds.
 */
export class ExplorerPage {
  readonly page: Page;
  /** Faults so far. */
  readonly faults: string[] = [];
  readonly #origin: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#origin = new URL(url).origin;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && protocol !== 'blob:' && origin !== this.#origin) {
        this.faults.push(`request to ${origin}`);
      }
    });
  }

  /** Starts fresh: a desktop window in light colours, without any state of the previous test. */
  async begin(address: string, fragment: string): Promise<void> {
    await this.page.setViewportSize({ width: 1280, height: HEIGHT });
    await this.page.emulateMedia({ colorScheme: 'light' });
    this.faults.length = 0;
    await this.visit(address + fragment);
    // The page must have its rune before it is unloaded, because the code works only once.
    await this.page.waitForFunction(() => sessionStorage.length > 0);
  }

  /** Goes to an address below `/ui/`, and reloads the document. */
  async visit(address: string): Promise<void> {
    await this.page.goto(`${this.#origin}/ui/${address}`);
  }

  /**
   * Checks the page in both colour schemes, in a phone-sized and in a desktop window. @returns the faults
   * that axe finds, and whether the whole page scrolls sideways
   */
  async misfits(): Promise<string[]> {
    const found: string[] = [];
    // Axe is half a megabyte, so the page loads it only once. Without the legacy mode, Axe opens a tab for each
    // check, which only pages with frames of other servers need.
    let isThere = false;
    for (const width of WIDTHS) {
      await this.page.setViewportSize({ width, height: HEIGHT });
      for (const colorScheme of SCHEMES) {
        await this.page.emulateMedia({ colorScheme });
        const axe = new AxeBuilder({ page: this.page, ...(isThere && { axeSource: 'void window.axe' }) })
          .setLegacyMode()
          .options({ resultTypes: ['violations'] });
        isThere = true;
        for (const { id, nodes } of (await axe.analyze()).violations) {
          const where = nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`);
          found.push(`${id} at ${width} px, ${colorScheme}: ${where.join('\n')}`);
        }
      }
      const overflow = await this.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (overflow > 0) found.push(`at ${width} px the page is ${overflow} px too wide`);
    }
    return found;
  }

  /** Leaves the page. @throws AssertionError with all faults */
  async close(): Promise<void> {
    const faults = [...this.faults];
    await this.leave();
    expect(faults).toEqual([]);
  }

  /** Leaves the page and clears its storage, without reporting faults. */
  async leave(): Promise<void> {
    await this.page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await this.page.goto('about:blank');
  }
}

/** Files of a Chromium profile about visited addresses, with their journals. */
const VISITED_FILES = /^(?:History|Favicons|Visited Links|Top Sites|Shortcuts|Network Action Predictor)/;

/** One file of a browser's profile. */
interface ProfileFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** A browser and a node. */
export class ExplorerBench {
  readonly #directory = temporaryDirectory();
  readonly #options: readonly string[];
  #browser!: Browser;
  #tab!: ExplorerPage;
  daemon!: DaemonHere;

  constructor(options: readonly string[]) {
    this.#options = options;
  }

  async start(): Promise<void> {
    [this.#browser] = await Promise.all([
      chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] }),
      this.startDaemon(),
    ]);
    this.#tab = new ExplorerPage(
      await this.#browser.newPage({ reducedMotion: 'reduce' }),
      this.daemon.httpUrl,
    );
  }

  /** Starts the node, or restarts it with its data on disk. */
  async startDaemon(): Promise<void> {
    const port = this.daemon === undefined ? 0 : new URL(this.daemon.httpUrl).port;
    await this.daemon?.stop();
    const options = [...this.#options, '--http', `127.0.0.1:${port}`];
    this.daemon = await DaemonHere.start(join(this.#directory.path, 'home'), options);
  }

  /** Opens an address below `/ui/`, with the code of a new link, as `fulgurite explorer` makes them. */
  async open(address: string): Promise<ExplorerPage> {
    await this.#tab.begin(address, new URL(await this.link()).hash);
    return this.#tab;
  }

  /**
   * Opens the start page in a separate tab, for a test that changes the environment of scripts.
   * @param prepare receives the tab before anything is loaded into it
   */
  async inOwnTab(
    prepare: (page: Page) => Promise<unknown>,
    act: (page: Page) => Promise<void>,
  ): Promise<void> {
    const page = await this.#browser.newPage();
    try {
      page.setDefaultTimeout(PATIENCE_MS);
      await prepare(page);
      await act(page);
    } finally {
      await page.close();
    }
  }

  /**
   * Runs actions in a browser with its own profile on disk.
   * @returns the profile's files about visited addresses, after the browser has closed
   */
  async inOwnProfile(act: (opened: { page: Page }) => Promise<void>): Promise<ProfileFile[]> {
    const profile = temporaryDirectory();
    try {
      const context = await chromium.launchPersistentContext(profile.path, {
        executablePath: CHROMIUM!,
        args: ['--no-sandbox'],
      });
      try {
        const page = context.pages()[0] ?? (await context.newPage());
        page.setDefaultTimeout(PATIENCE_MS);
        await act({ page });
      } finally {
        await context.close();
      }
      const folder = join(profile.path, 'Default');
      return readdirSync(folder)
        .filter((name) => VISITED_FILES.test(name))
        .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
    } finally {
      profile.remove();
    }
  }

  /** A new link to the start page. It works once. */
  async link(): Promise<string> {
    return (await this.daemon.result('explorer')).url;
  }

  /** Opens an address, runs the actions, leaves the page, and reports the page's faults. */
  async on(address: string, act: (opened: ExplorerPage) => Promise<void>): Promise<void> {
    const opened = await this.open(address);
    try {
      await act(opened);
    } catch (error) {
      await opened.leave();
      // If the page had faults, they are the more likely reason.
      if (opened.faults.length > 0) throw new Error(opened.faults.join('\n'), { cause: error });
      throw error;
    }
    await opened.close();
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.daemon?.stop();
    this.#directory.remove();
  }
}

/** Tests in a browser. They are skipped with the reason if there is no Chromium. */
export function describeInBrowser(
  title: string,
  options: readonly string[],
  body: (bench: ExplorerBench) => void,
): void {
  describeNeeding('chromium', CHROMIUM !== undefined, title, () => {
    const bench = new ExplorerBench(options);
    beforeAll(() => bench.start());
    afterAll(() => bench.stop());
    body(bench);
  });
}
