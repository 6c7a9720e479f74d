import { beforeAll, describe, expect, it } from "vitest";
import { fillHouse } from "./full-house.ts";
import { standHere } from "./stand.ts";

const stand = standHere();
beforeAll(async () => {
  await fillHouse(stand.world);
});

/** What an operator presses, by the page where it stands. */
const REFUSED: [path: string, buttons: string[]][] = [
  ["attention/dead", ["Retry", "Dismiss"]],
  ["attention/quarantine", ["Release", "Dismiss"]],
  ["attention/anomalies", ["Ask again", "Close"]],
  ["attention/refused", ["Read again"]],
  ["completeness", ["Certify", "Reconcile"]],
  ["replays/new", ["Dry run"]],
  ["settings", ["Pause asking the provider of default", "Resume sending to the topics of default"]],
];

describe("whoever may read only", () => {
  it("is shown nothing that acts, and everything else", async () => {
    await using reader = await stand.person("read");
    for (const [path, buttons] of REFUSED) {
      await reader.open(path);
      await reader.settle();
      for (const name of buttons)
        expect(await reader.page.getByRole("button", { name, exact: true }).count(), `${path}: ${name}`).toBe(
          0,
        );
      expect(await reader.page.locator("main input[type=checkbox]").count(), path).toBe(0);
    }
    await reader.open("attention/dead");
    await reader.page.getByRole("row").filter({ hasText: "order-refused" }).waitFor();
  });

  it("is not signed in at all with a wrong token, and signed out when asked", async () => {
    const stranger = await stand.arrive();
    await stranger.open("attention/dead");
    await stranger.write(stranger.page.getByLabel("Admin token"), "a-wrong-token-0123456789abc");
    await stranger.press(stranger.page.getByRole("button", { name: "Sign in" }));
    await stranger.page.getByRole("alert").waitFor();
    expect(await stranger.page.getByText("order-refused").count()).toBe(0);
    await stranger.signIn("read");
    await stranger.press(stranger.page.getByRole("button", { name: "Sign out" }));
    await stranger.page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    expect(await stranger.page.evaluate("fetch('/admin/v1/status').then(({ status }) => status)")).toBe(401);
    await stranger.leave();
  });
});
