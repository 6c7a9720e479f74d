import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { buildPages } from "../../src/console/console-pages.ts";
import { launchChromium } from "./chromium.ts";
import { type ConsoleEnvironment, type Role, startConsoleEnvironment } from "./console-environment.ts";
import { Operator } from "./operator.ts";

/** The pages as they are now. */
export const buildConsole = () => buildPages(join(import.meta.dirname, "../../dist/console"));

/** A browser before a console whose pages were just built. */
export class Stand {
  browser!: Browser;
  environment!: ConsoleEnvironment;

  /** Somebody who has not signed in. */
  arrive = (options?: Parameters<typeof Operator.arrive>[2]) =>
    Operator.arrive(this.browser, this.environment, options);

  /** Somebody of this role, on the first page. */
  async person(role: Role, options?: Parameters<typeof Operator.arrive>[2]): Promise<Operator> {
    const person = await this.arrive(options);
    await person.signIn(role);
    return person;
  }
}

/** One for the tests of a file or of a `describe`. */
export function standHere(): Stand {
  const stand = new Stand();
  beforeAll(async () => {
    await buildConsole();
    [stand.browser, stand.environment] = await Promise.all([launchChromium(), startConsoleEnvironment()]);
  });
  afterAll(async () => {
    await stand.browser?.close();
    await stand.environment?.stop();
  });
  return stand;
}
