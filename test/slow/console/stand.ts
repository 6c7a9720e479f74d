import { join } from "node:path";
import type { Browser } from "playwright-core";
import { buildPages } from "../../../src/console/console-pages.ts";
import { launchChromium } from "../../sandbox/provider/chromium.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";

export interface Stand {
  browser: Browser;
  world: ConsoleWorld;
  close(): Promise<void>;
}

/** The pages as they are now. */
export const buildConsole = () => buildPages(join(import.meta.dirname, "../../../dist/console"));

/** A browser before a console whose pages were just built. */
export async function openStand(): Promise<Stand> {
  await buildConsole();
  const [browser, world] = await Promise.all([launchChromium(), startConsoleWorld()]);
  const close = async () => {
    await browser.close();
    await world.stop();
  };
  return { browser, world, close };
}
