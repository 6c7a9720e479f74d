import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { TIMEOUT_MS } from "../../test/support/timeout-ms.ts";

export const ROLES = ["read", "operate", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** What a person types in to sign in, by role. */
export const ADMIN_TOKENS: Record<Role, string> = {
  read: "reader-token-0123456789abcdef",
  operate: "operator-token-0123456789abcd",
  admin: "admin-token-0123456789abcdefg",
};

/** What a person works with. */
type Hand = "mouse" | "keyboard";

export const DESKTOP = { viewport: { width: 1440, height: 900 } } satisfies BrowserContextOptions;
export const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
} satisfies BrowserContextOptions;

/** Screens in light and in dark. */
export const looksOn = (screens: Record<string, BrowserContextOptions>) =>
  Object.entries(screens).flatMap(([name, screen]) =>
    (["light", "dark"] as const).map((colorScheme) => ({
      ...screen,
      name: `${name}-${colorScheme}`,
      colorScheme,
    })),
  );

/** More stops than any page has between two things. */
const STOPS_LIMIT = 400;

/** A person at the console, in a browser of their own, who complains of whatever the browser reports. */
export class Operator {
  readonly page: Page;
  /** Errors in the browser's console, and scripts that broke. */
  readonly complaints: string[] = [];
  readonly #environment: { url: string };
  readonly #hand: Hand;

  private constructor(page: Page, environment: { url: string }, hand: Hand) {
    this.page = page;
    this.#environment = environment;
    this.#hand = hand;
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  static async arrive(
    browser: Browser,
    environment: { url: string },
    { hand = "mouse", ...options }: BrowserContextOptions & { hand?: Hand } = {},
  ): Promise<Operator> {
    // A machine without a locale gives its browser a language that is none.
    const own = { ...DESKTOP, locale: "en-GB", timezoneId: "Africa/Lagos" };
    const context = await browser.newContext({ ...own, ...options });
    return new Operator(await context.newPage(), environment, hand);
  }

  /** @param path below /console/ */
  async open(path = ""): Promise<void> {
    await this.page.goto(`${this.#environment.url}/console/${path}`);
  }

  /** Waits until the page has its data. */
  async settle(): Promise<void> {
    await this.page.getByRole("heading", { level: 1 }).waitFor();
    await this.page.locator(".loading").first().waitFor({ state: "detached" });
  }

  async signIn(role: Role, token = ADMIN_TOKENS[role]): Promise<void> {
    await this.open();
    await this.write(this.page.getByLabel("Admin token"), token);
    await this.press(this.page.getByRole("button", { name: "Sign in" }));
    await this.page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
    // Whoever is not signed in yet is answered 401, which the browser reports.
    this.complaints.length = 0;
  }

  /** Goes to a page by the navigation. */
  async visit(title: string): Promise<void> {
    await this.press(this.page.getByRole("navigation").getByRole("link", { name: title }));
    await this.page.getByRole("heading", { level: 1, name: title }).waitFor();
  }

  /** Clicks it, or goes there by Tab and presses Enter. */
  async press(what: Locator, key: "Enter" | "Space" = "Enter"): Promise<void> {
    if (this.#hand === "mouse") return await what.click();
    await this.reach(what);
    await this.page.keyboard.press(key);
  }

  /** Ticks a box or a choice. */
  async choose(what: Locator): Promise<void> {
    await this.press(what, "Space");
  }

  async write(where: Locator, text: string): Promise<void> {
    if (this.#hand === "mouse") return await where.fill(text);
    await this.reach(where);
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.type(text);
  }

  async select(where: Locator, label: string): Promise<void> {
    if (this.#hand === "keyboard") await this.reach(where);
    await where.selectOption({ label });
  }

  /** Presses Tab until it has the focus, which has to be seen. */
  async reach(what: Locator): Promise<void> {
    await what.waitFor();
    for (let stops = 0; stops < STOPS_LIMIT; stops += 1) {
      if ((await what.and(this.page.locator(":focus")).count()) > 0) {
        expect(await this.page.evaluate(FOCUS_IS_SEEN), `the focus on ${what}`).toBe(true);
        return;
      }
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`Tab never comes to ${what}.`);
  }

  /** Gives the reason in the open dialog, and confirms. */
  async confirm(button: string | RegExp, reason: string): Promise<void> {
    const dialog = this.page.getByRole("dialog");
    await this.write(dialog.getByLabel(/reason|why/i), reason);
    await this.keep(`dialog-${reason.replaceAll(/\W+/g, "-")}${this.#hand}`);
    await this.press(dialog.getByRole("button", { name: button }));
    await dialog.waitFor({ state: "hidden" });
  }

  /** Kept for a person to look at, when SCREENSHOTS names a folder. */
  async keep(name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (!folder) return;
    await this.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, animations: "disabled" });
  }

  async leave(): Promise<void> {
    await this.page.context().close();
  }
}

const FOCUS_IS_SEEN = `(() => {
  let element = document.activeElement;
  for (; element && element !== document.body; element = element.parentElement) {
    // A row's link has its ring around the row, on what is laid over it.
    for (const part of [null, "::after"]) {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element, part);
      if ((outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none") return true;
    }
    if (element.matches("label, td, th, li")) break;
  }
  return false;
})()`;
